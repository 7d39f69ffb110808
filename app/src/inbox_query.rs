//! Which of the open sets of questions the inbox shows.

use crate::{Form, site};
use texts::{InboxTexts, Lang};

/// How far the answer to an open set has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxState {
    /// Nothing was given yet.
    New,
    /// There is a draft that lacks answers.
    Begun,
    /// There is a draft that lacks none.
    Complete,
    /// It can be answered until a certain time only, whatever was given.
    Due,
}

impl InboxState {
    pub(crate) const ALL: [Self; 4] = [Self::New, Self::Begun, Self::Complete, Self::Due];

    /// What it is called in an address.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Begun => "begun",
            Self::Complete => "complete",
            Self::Due => "due",
        }
    }

    pub(crate) fn words(self, words: &'static InboxTexts) -> &'static str {
        match self {
            Self::New => words.state_new,
            Self::Begun => words.state_begun,
            Self::Complete => words.state_complete,
            Self::Due => words.state_due,
        }
    }

    fn is_that_of(self, form: &Form) -> bool {
        if self == Self::Due {
            return form.pending().deadline.is_some();
        }
        let draft = form.draft();
        let is_new = draft.answers.is_empty() && form.draft_saved_at().is_none();
        let is_complete = || draft.open_items(form.questions().input()).is_empty();
        self == match is_new {
            true => Self::New,
            false if is_complete() => Self::Complete,
            false => Self::Begun,
        }
    }
}

/// Which of the open sets are wanted. What is not said does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// How far the answer has come.
    pub state: Option<InboxState>,
    /// The folder of their project.
    pub project: Option<String>,
    /// What stands in their task, source or questions, whatever the case.
    pub search: Option<String>,
    /// How many pages of them come before the one that is wanted.
    pub pages_before: usize,
}

impl InboxQuery {
    /// Reads what stands behind the `?`; what is no such thing was not said.
    pub fn read(query: &str) -> Self {
        let mut read = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let text = Some(value.trim().to_owned()).filter(|text| !text.is_empty());
            match &*name {
                "state" => read.state = InboxState::ALL.into_iter().find(|state| state.name() == value),
                "project" => read.project = text,
                "search" => read.search = text,
                "page" => read.pages_before = value.parse::<usize>().map_or(0, |page| page.saturating_sub(1)),
                _ => {}
            }
        }
        read
    }

    /// Whether all open sets are wanted.
    pub(crate) fn is_for_all(&self) -> bool {
        self.state.is_none() && self.project.is_none() && self.search.is_none()
    }

    /// The same of another page, counted from 1.
    pub(crate) fn on_page(&self, page: usize) -> Self {
        Self { pages_before: page.saturating_sub(1), ..self.clone() }
    }

    /// The address of the same sets.
    pub(crate) fn address(&self, lang: Lang) -> String {
        site::address(format_args!("/?{}", self.to_text(lang)))
    }

    /// What stands behind the `?`.
    pub(crate) fn to_text(&self, lang: Lang) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let Self { state, project, search, pages_before } = self;
        let page = (*pages_before > 0).then(|| pages_before.saturating_add(1).to_string());
        let state = state.map(InboxState::name);
        for (name, value) in [
            ("state", state),
            ("project", project.as_deref()),
            ("search", search.as_deref()),
            ("page", page.as_deref()),
        ] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.append_pair("lang", lang.code());
        query.finish()
    }

    /// Whether a set is among them, as it is shown in `lang`.
    pub fn matches(&self, lang: Lang, form: &Form) -> bool {
        let is_in = |project: &String| form.project_root().as_ref() == Some(project);
        let says = |text: &String| form.searched(lang).contains(&text.to_lowercase());
        self.project.as_ref().is_none_or(is_in)
            && self.search.as_ref().is_none_or(says)
            && self.state.is_none_or(|state| state.is_that_of(form))
    }
}
