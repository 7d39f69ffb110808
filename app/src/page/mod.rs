//! What the server renders.

mod document;
mod escape;
mod excerpt;
mod farewell;
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
mod review;
mod sources;
mod text_area;
mod time;
mod workflows;

pub use document::{Assets, Rendered};
pub use farewell::{Farewell, NextSet, Undo, render_farewell, render_returned};
pub(crate) use farewell::{asker_gone, closed_html, decided_html};
pub use flow::{FlowQuery, FlowSeen, PastTask, render_flow};
pub use form::{Arrival, Complaint, Shown, render_form};
pub use history::{HistoryQuery, render_history};
pub use inbox::{InboxQuery, InboxState, inbox_version, render_inbox};
pub(crate) use item::untouched_item;
pub use markdown::{sanitize_html, to_html as markdown_to_html, to_text as markdown_to_text};
pub use masthead::Elsewhere;
pub use notice::{Notice, UnknownAddress, render_notice, render_notice_before};
pub use plans::{PlanSeen, PlansQuery, plan_version, render_plan, render_plans};
pub use record::{Lost, render_lost, render_record};
pub use review::render_review;
pub use workflows::{
    WorkflowQuery, WorkflowSeen, WorkflowsQuery, render_event, render_workflow, render_workflows,
};
