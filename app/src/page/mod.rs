//! What the server renders.

mod document;
mod escape;
mod excerpt;
mod files;
mod flow;
mod form;
mod glyph;
mod highlight;
mod history;
mod inbox;
mod item;
mod live;
mod markdown;
mod markup;
mod masthead;
mod notice;
mod pages;
mod parts;
mod plans;
pub(crate) mod preview;
mod record;
mod result_page;
mod review;
mod sources;
mod text_area;
mod time;
mod workflows;

pub use document::{Assets, RenderedPage};
pub use flow::{FlowQuery, FlowView, PastTask, render_flow};
pub use form::{Arrival, FormContext, FormError, render_form};
pub use history::{HistoryQuery, render_history};
pub use inbox::{InboxQuery, InboxState, inbox_version, render_inbox};
pub(crate) use item::untouched_item;
pub use markdown::{sanitize_html, to_html as markdown_to_html, to_text as markdown_to_text};
pub use masthead::OtherPages;
pub use notice::{Notice, UnknownAddress, render_notice, render_notice_before};
pub use plans::{PlanPageContext, PlansQuery, plan_version, render_plan, render_plans};
pub use record::{NotFound, render_lost, render_record};
pub use result_page::{NextSet, ResultPage, Undo, render_result, render_returned};
pub(crate) use result_page::{asker_gone, closed_html, decided_html};
pub use review::render_review;
pub use workflows::{
    WorkflowPageContext, WorkflowQuery, WorkflowsQuery, render_event, render_workflow, render_workflows,
};
