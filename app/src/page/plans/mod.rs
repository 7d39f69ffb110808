//! Plans and the agents that carry them out, as they are known to the system. Nothing is changed here.

mod agents;
mod graph;
mod list;
mod one;
mod parts;
mod trail;

pub use list::{PlansQuery, render_plans};
pub use one::{PlanPageContext, plan_version, render_plan};
