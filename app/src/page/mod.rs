//! What the server renders.

mod document;
mod flow;
mod form;
mod glyph;
mod history;
mod inbox;
mod live;
mod masthead;
mod notice;
mod pages;
mod parts;
mod plans;
mod record;
mod result_page;
mod review;
mod time;
mod workflows;

pub use document::{Assets, RenderedPage};
pub use flow::{FlowQuery, FlowView, PastTask, render_flow};
pub use form::{Arrival, FormContext, FormError, render_form};
pub use history::{HistoryQuery, render_history};
pub use inbox::render_inbox;
pub use notice::{Notice, UnknownAddress, render_notice, render_notice_before};
pub use plans::{PlanPageContext, PlansQuery, plan_version, render_plan, render_plans};
pub use record::{NotFound, render_lost, render_record};
pub use result_page::{render_result, render_returned};
pub use review::render_review;
pub use workflows::{
    WorkflowPageContext, WorkflowQuery, WorkflowsQuery, render_event, render_workflow, render_workflows,
};
