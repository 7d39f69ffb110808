//! The links that a page has to other pages.

/// Where else there is something to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherPages {
    /// How many sets of questions are open beside those that are shown.
    pub waiting: usize,
    /// The name of the project that the page is about, where the server has several.
    pub room: String,
    /// On the page of earlier decisions.
    pub has_history: bool,
    /// On the page of the task.
    pub has_task: bool,
    /// On the page of plans.
    pub has_plans: bool,
    /// On the page of workflows.
    pub has_workflows: bool,
}
