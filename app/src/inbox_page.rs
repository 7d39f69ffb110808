//! The part of the inbox that is shown, and its version.

use crate::page::{InboxQuery, root_of};
use crate::{Form, Hall, SetId};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use store::{PendingSet, seconds_between};
use texts::Lang;

/// How many sets a page shows.
const PAGE: usize = 50;

/// One page of the inbox.
#[derive(Debug)]
pub struct InboxPage {
    /// How many sets are open.
    pub open: usize,
    /// How many of them were looked for.
    pub found: usize,
    /// Those of this page, the oldest first.
    pub forms: Vec<Arc<Form>>,
    /// Whether later pages have others.
    pub has_later: bool,
    /// The folders of the projects that open sets are about.
    pub projects: BTreeSet<String>,
    /// Another text when the page shows something else.
    pub version: String,
}

/// All sets that are open, as of one moment.
#[derive(Debug, Default)]
pub(crate) struct OpenSets {
    /// The rooms that they were read from, by name.
    pub(crate) rooms: Vec<(String, Arc<[PendingSet]>)>,
    /// Their names, the oldest first.
    pub(crate) sets: Vec<SetId>,
    /// Another number for other sets.
    version: u64,
}

impl OpenSets {
    pub(crate) fn new(rooms: Vec<(String, Arc<[PendingSet]>)>) -> Self {
        let name = |room: &String, pending: &PendingSet| SetId::new(room, pending.session.clone());
        let mut sets: Vec<_> =
            rooms.iter().flat_map(|(room, list)| list.iter().map(|pending| name(room, pending))).collect();
        sets.sort_by(|a, b| a.session().cmp(b.session()));
        // The same in every run of the program: a page may be older than the server.
        let mut hasher = DefaultHasher::new();
        for set in &sets {
            set.to_string().hash(&mut hasher);
        }
        Self { rooms, sets, version: hasher.finish() }
    }

    /// Whether they were read from such rooms.
    pub(crate) fn are_of(&self, rooms: &[(String, Arc<[PendingSet]>)]) -> bool {
        self.rooms.len() == rooms.len()
            && self.rooms.iter().zip(rooms).all(|((name, list), (other, found))| {
                name == other && (Arc::ptr_eq(list, found) || list == found)
            })
    }
}

impl Hall {
    /// The page of the inbox that `query` asks for, as it is shown in `lang`. Of all other sets nothing is read, unless they are
    /// looked through.
    pub fn inbox_page(&self, lang: Lang, query: &InboxQuery) -> InboxPage {
        let list = self.open_sets();
        let first = query.pages_before.saturating_mul(PAGE);
        let is_open = |form: &Arc<Form>| form.ending().is_none();
        let (mut open, found, forms, has_later);
        if query.is_for_all() {
            let shown = list.sets.iter().skip(first).take(PAGE);
            let wanted = shown.len();
            forms = self.forms_of(shown).into_iter().flatten().filter(is_open).collect::<Vec<_>>();
            // What cannot be read is not counted.
            open = list.sets.len().saturating_sub(wanted.saturating_sub(forms.len()));
            (found, has_later) = (open, first.saturating_add(PAGE) < list.sets.len());
        } else {
            let all = self.forms_of(list.sets.iter());
            open = 0;
            let counted = all.into_iter().flatten().filter(is_open).inspect(|_| open += 1);
            let matching: Vec<_> = counted.filter(|form| query.matches(lang, form)).collect();
            found = matching.len();
            has_later = first.saturating_add(PAGE) < found;
            forms = matching.into_iter().skip(first).take(PAGE).collect();
        }
        let version = version(&list, found, &forms);
        InboxPage { open, found, forms, has_later, projects: self.projects_of(&list), version }
    }

    /// The folders of the projects that open sets are about.
    fn projects_of(&self, list: &OpenSets) -> BTreeSet<String> {
        let mut projects = BTreeSet::new();
        for (room, sets) in list.rooms.iter().filter(|(_, sets)| !sets.is_empty()) {
            match self.project_room(room) {
                Some(place) => drop(projects.insert(place.project.root().display().to_string())),
                None => {
                    let sets: Vec<_> = sets.iter().map(|set| SetId::new(room, set.session.clone())).collect();
                    let forms = self.forms_of(sets.iter()).into_iter().flatten();
                    projects.extend(forms.filter_map(|form| root_of(&form)));
                }
            }
        }
        projects
    }
}

/// Names what a page shows.
fn version(list: &OpenSets, found: usize, forms: &[Arc<Form>]) -> String {
    let mut hasher = DefaultHasher::new();
    let now = store::now();
    (list.version, found).hash(&mut hasher);
    for form in forms {
        (form.id().to_string(), form.draft_saved_at(), age(form, &now)).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// How long ago a set was asked, in seconds: whole minutes, from an hour on whole hours, from a day on whole days. The page shows
/// no finer unit.
pub(crate) fn age(form: &Form, now: &str) -> Option<u64> {
    let seconds = seconds_between(&form.pending().created_at, now)?;
    let unit = [86_400, 3_600].into_iter().find(|unit| seconds >= *unit).unwrap_or(60);
    Some(seconds / unit * unit)
}
