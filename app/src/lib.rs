//! The page: what the server renders, what the browser hydrates, and the functions between them.
//!
//! Everything a person reads is rendered on the server, once. The one interactive part, the bar with progress
//! and submit, is an island: only it is compiled to WASM, so a page of a thousand items hydrates as fast as a
//! page of one.
//!
//! # Where things are
//!
//! The page and the history: rendering (feature `ssr`), the island and its keyboard and drafts (feature `hydrate`), the server
//! functions between them; items and other parts of pages as HTML (`html/`), and how a set ended (`result.rs`), shared by pages
//! and server functions; `Form` is one set of questions, `Hall` everything that a server shows, `TimeLimit` the time for which it
//! does; decisions as Markdown (`export.rs`).

#![allow(unreachable_pub, reason = "the macros of leptos write `pub`")]

#[cfg(feature = "ssr")]
mod audience;
mod bar;
#[cfg(feature = "ssr")]
mod blank_form;
#[cfg(feature = "ssr")]
mod export;
#[cfg(feature = "ssr")]
mod flow_report;
#[cfg(feature = "ssr")]
mod form;
mod functions;
#[cfg(feature = "ssr")]
mod hall;
#[cfg(feature = "ssr")]
mod html;
mod icon;
#[cfg(feature = "ssr")]
mod inbox_query;
#[cfg(feature = "ssr")]
mod other_pages;
mod outcome;
#[cfg(feature = "ssr")]
mod page;
#[cfg(feature = "ssr")]
mod plan_folders;
#[cfg(feature = "ssr")]
mod read_pool;
#[cfg(feature = "ssr")]
mod refusal;
#[cfg(feature = "ssr")]
mod result;
#[cfg(feature = "ssr")]
mod set_id;
#[cfg(feature = "ssr")]
mod signals;
#[cfg(feature = "ssr")]
pub mod site;
#[cfg(feature = "ssr")]
mod time_limit;
#[cfg(feature = "ssr")]
mod timeline;

#[cfg(feature = "ssr")]
pub use blank_form::BlankForm;
#[cfg(feature = "ssr")]
pub use export::Export;
#[cfg(feature = "ssr")]
pub use flow_report::flow_report;
#[cfg(feature = "ssr")]
pub use form::Form;
#[cfg(feature = "ssr")]
pub use hall::{Hall, InboxPage, ProjectRoom, provide_hall};
#[cfg(feature = "ssr")]
pub use html::{markdown_to_html, markdown_to_text, sanitize_html};
#[cfg(feature = "ssr")]
pub use inbox_query::{InboxQuery, InboxState};
#[cfg(feature = "ssr")]
pub use other_pages::OtherPages;
#[cfg(feature = "ssr")]
pub use outcome::ChosenItem;
pub use outcome::SubmitFailure;
#[cfg(feature = "ssr")]
pub use page::{
    Arrival, Assets, FlowQuery, FlowView, FormContext, FormError, HistoryQuery, NotFound, Notice, PastTask,
    PlanPageContext, PlansQuery, RenderedPage, UnknownAddress, WorkflowPageContext, WorkflowQuery,
    WorkflowsQuery, plan_version, render_event, render_flow, render_form, render_history, render_inbox,
    render_lost, render_notice, render_notice_before, render_plan, render_plans, render_record,
    render_result, render_returned, render_review, render_workflow, render_workflows,
};
#[cfg(feature = "ssr")]
pub use plan_folders::PlanFolders;
#[cfg(feature = "ssr")]
pub use read_pool::{ReadError, ReadPool};
#[cfg(feature = "ssr")]
pub use refusal::{attach_detail_of, detail_of, status_of, status_of_attach};
#[cfg(feature = "ssr")]
pub use result::{NextSet, ResultPage, Undo};
#[cfg(feature = "ssr")]
pub use set_id::{SetId, room_path};
#[cfg(feature = "ssr")]
pub use time_limit::TimeLimit;
