//! Workflows: all of them, and one as it happens. What a person does here is posted as a form.

mod agents;
mod asked;
mod control;
mod drawn;
mod event;
mod events;
mod follow;
mod list;
mod one;
mod parts;
mod tasks;

pub use event::render_event;
pub use list::{WorkflowsQuery, render_workflows};
pub use one::{WorkflowPageContext, WorkflowQuery, render_workflow};
