//! The inbox: all sets that are open, the page of them that is shown, and waiting for a change of that page.

use super::{HOLD, Hall};
use crate::inbox_query::InboxQuery;
use crate::{Form, ReadError, SetId};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use store::{PendingSet, seconds_between};
use texts::Lang;
use tokio::time::timeout_at;

/// How many sets a page shows.
const PAGE: usize = 50;
/// Stands behind the text of each set.
const SEPARATOR: char = '\0';

/// One page of the inbox.
#[derive(Debug)]
pub struct InboxPage {
    /// How many sets are open.
    pub open: usize,
    /// How many of them were looked for.
    pub found: usize,
    /// Which page this is, counted from 1: the last one if the query is for a later one.
    pub page: usize,
    /// Those of this page, the oldest first.
    pub forms: Vec<Arc<Form>>,
    /// Whether later pages have others.
    pub has_later: bool,
    /// The folders of the projects that open sets are about.
    pub projects: BTreeSet<String>,
    /// Changes when the page does.
    pub version: String,
}

/// All sets that are open, as of one moment.
#[derive(Debug, Default)]
pub(crate) struct OpenSets {
    /// The rooms that they were read from, by name.
    pub(crate) rooms: Vec<(String, Arc<[PendingSet]>)>,
    /// Their names, the oldest first.
    pub(crate) sets: Vec<SetId>,
    /// Changes when the sets do.
    version: u64,
    /// What a search looks through, in Chinese and in English.
    searched: [OnceLock<Arc<SearchedText>>; 2],
    /// The folders of the projects that they are about.
    projects: OnceLock<BTreeSet<String>>,
}

/// The text of all open sets.
#[derive(Debug, Default)]
struct SearchedText {
    text: String,
    /// Where the text of each set ends, in bytes.
    ends: Vec<usize>,
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
        Self {
            rooms,
            sets,
            version: hasher.finish(),
            searched: Default::default(),
            projects: OnceLock::new(),
        }
    }

    fn searched(&self, hall: &Hall, lang: Lang) -> Arc<SearchedText> {
        let [zh, en] = &self.searched;
        let searched = if lang == Lang::Zh { zh } else { en };
        if let Some(known) = searched.get() {
            return Arc::clone(known);
        }
        let forms = hall.forms_of(self.sets.iter());
        let found = Arc::new(SearchedText::new(&forms, lang));
        // What cannot be read now may be another time.
        if forms.iter().all(Option::is_some) {
            return Arc::clone(searched.get_or_init(|| found));
        }
        found
    }

    /// Whether they were read from such rooms.
    pub(crate) fn were_read_from(&self, rooms: &[(String, Arc<[PendingSet]>)]) -> bool {
        self.rooms.len() == rooms.len()
            && self.rooms.iter().zip(rooms).all(|((name, list), (other, found))| {
                name == other && (Arc::ptr_eq(list, found) || list == found)
            })
    }
}

impl Hall {
    /// All sets that are open, sorted anew only where something has changed: there may be very many.
    pub(super) fn open_sets(&self) -> Arc<OpenSets> {
        let rooms = self.rooms();
        // What cannot be read now may be in the middle of a change.
        let rooms: Vec<_> =
            rooms.iter().map(|room| (room.name.clone(), room.desk.open_list().unwrap_or_default())).collect();
        let known = Arc::clone(&self.open_sets.lock().unwrap_or_else(PoisonError::into_inner));
        if known.were_read_from(&rooms) {
            return known;
        }
        let found = Arc::new(OpenSets::new(rooms));
        *self.open_sets.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&found);
        found
    }

    /// The forms of `sets`, each as [`Self::form`] returns it.
    pub(crate) fn forms_of<'s>(&self, sets: impl Iterator<Item = &'s SetId>) -> Vec<Option<Arc<Form>>> {
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        let forms = self.forms();
        for set in sets {
            let form = forms.get(set).map(Arc::clone);
            if form.is_none() {
                unread.push((found.len(), set));
            }
            found.push(form);
        }
        // Not held while the disk is read.
        drop(forms);
        for (place, set) in unread {
            found[place] = self.form(set);
        }
        found
    }

    /// Lets the pages look that wait for a change of the inbox. Does nothing where no page waits, nor again at once where
    /// very much is open: a look takes a tenth of the time at most.
    pub fn look_at_inbox(&self) {
        if self.inbox.receiver_count() == 0 {
            return;
        }
        let is_due = self.inbox_due().is_none_or(|due| Instant::now() >= due);
        if is_due {
            self.inbox.send_replace(());
        }
    }

    fn inbox_due(&self) -> MutexGuard<'_, Option<Instant>> {
        self.inbox_due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the page of the inbox shows once that is something else than `known`, when the server is about to end, or
    /// after some time. At once when too many wait already.
    ///
    /// # Errors
    ///
    /// When it cannot be read in time.
    pub async fn inbox_news(
        self: Arc<Self>,
        known: &str,
        lang: Lang,
        query: InboxQuery,
    ) -> Result<String, ReadError> {
        let mut inbox = self.inbox.subscribe();
        let query = Arc::new(query);
        let mut now = self.inbox_version(lang, &query).await?;
        if now != known {
            return Ok(now);
        }
        let Ok(_held) = self.held_pages.try_acquire() else { return Ok(now) };
        let until = tokio::time::Instant::now() + HOLD;
        while now == known {
            tokio::select! {
                changed = timeout_at(until, inbox.changed()) => if !matches!(changed, Ok(Ok(()))) { break },
                () = self.signals.heard(|| false) => break,
            }
            let began = Instant::now();
            now = self.inbox_version(lang, &query).await?;
            // Where a look takes long, the pages that wait look the later.
            *self.inbox_due() = Some(Instant::now() + 9 * began.elapsed());
        }
        Ok(now)
    }

    /// What the page shows now.
    async fn inbox_version(
        self: &Arc<Self>,
        lang: Lang,
        query: &Arc<InboxQuery>,
    ) -> Result<String, ReadError> {
        let (hall, query) = (Arc::clone(self), Arc::clone(query));
        self.reads.run("the inbox", move || hall.inbox_page(lang, &query).version).await
    }

    /// The page of the inbox that `query` asks for, as it is shown in `lang`. Of all other sets nothing is read, unless the query
    /// has a state or a text, and but for the project of those whose room is about none in particular.
    pub fn inbox_page(&self, lang: Lang, query: &InboxQuery) -> InboxPage {
        let list = self.open_sets();
        let roots = self.roots_of(&list);
        let mut found = match &query.search {
            Some(text) => list.searched(self, lang).find(&text.to_lowercase()),
            None => (0..list.sets.len()).collect(),
        };
        let root_of_place = |place: &usize| roots.get(list.sets[*place].room()).and_then(Option::as_ref);
        if let Some(project) = &query.project {
            found.retain(|place| root_of_place(place).is_none_or(|root| root == project));
        }
        // Of a set whose room is about no project in particular, the form says which it is about.
        let is_exact = query.state.is_none()
            && (query.project.is_none() || found.iter().all(|place| root_of_place(place).is_some()));
        // What has ended meanwhile may have been all of the last page.
        let first_of =
            |found: usize| query.pages_before.saturating_mul(PAGE).min(found.saturating_sub(1) / PAGE * PAGE);
        let forms_at = |places: &[usize]| {
            let forms = self.forms_of(places.iter().map(|place| &list.sets[*place]));
            forms.into_iter().flatten().filter(|form| form.ending().is_none()).collect::<Vec<_>>()
        };
        let (found, first, forms, has_later) = if is_exact {
            let first = first_of(found.len());
            let later = found.get(first..).unwrap_or_default();
            let shown = &later[..later.len().min(PAGE)];
            let forms = forms_at(shown);
            // What cannot be read is not counted.
            (found.len() - (shown.len() - forms.len()), first, forms, later.len() > PAGE)
        } else {
            let mut forms = forms_at(&found);
            forms.retain(|form| query.matches(lang, form));
            let (found, first) = (forms.len(), first_of(forms.len()));
            (found, first, forms.into_iter().skip(first).take(PAGE).collect(), found > first + PAGE)
        };
        let open = if query.is_for_all() { found } else { list.sets.len() };
        let version = version(&list, found, &forms);
        let (page, projects) = (first / PAGE + 1, self.projects_of(&list, &roots));
        InboxPage { open, found, page, forms, has_later, projects, version }
    }

    /// The folder of the project that each room with open sets is about; `None` for a room that is about none in particular.
    fn roots_of(&self, list: &OpenSets) -> HashMap<String, Option<String>> {
        let rooms = list.rooms.iter().filter(|(_, sets)| !sets.is_empty());
        let root = |name: &str| Some(self.project_room(name)?.project.root().display().to_string());
        rooms.map(|(name, _)| (name.clone(), root(name))).collect()
    }

    /// The folders of the projects that open sets are about.
    fn projects_of(&self, list: &OpenSets, roots: &HashMap<String, Option<String>>) -> BTreeSet<String> {
        if let Some(known) = list.projects.get() {
            return known.clone();
        }
        let mut projects: BTreeSet<_> = roots.values().flatten().cloned().collect();
        let mut is_whole = true;
        for (room, sets) in list.rooms.iter().filter(|(room, _)| roots.get(room).is_some_and(Option::is_none))
        {
            let sets: Vec<_> = sets.iter().map(|set| SetId::new(room, set.session.clone())).collect();
            let forms = self.forms_of(sets.iter());
            is_whole &= forms.iter().all(Option::is_some);
            projects.extend(forms.into_iter().flatten().filter_map(|form| form.project_root()));
        }
        // What cannot be read now may be another time.
        if is_whole { list.projects.get_or_init(|| projects).clone() } else { projects }
    }
}

impl SearchedText {
    /// Of each set, what is looked through; nothing of one that cannot be read.
    fn new(forms: &[Option<Arc<Form>>], lang: Lang) -> Self {
        let mut searched = Self::default();
        for form in forms {
            searched.text.push_str(form.as_ref().map_or("", |form| form.searched(lang)));
            searched.text.push(SEPARATOR);
            searched.ends.push(searched.text.len());
        }
        searched
    }

    /// The places of the sets in which `wanted` occurs.
    fn find(&self, wanted: &str) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), 0);
        // It would be found between two sets.
        if wanted.is_empty() || wanted.contains(SEPARATOR) {
            return found;
        }
        while let Some(place) = self.text[at..].find(wanted) {
            let set = self.ends.partition_point(|end| *end <= at + place);
            found.push(set);
            at = self.ends[set];
        }
        found
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
