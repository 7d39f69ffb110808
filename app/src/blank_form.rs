//! The items as they look before the user changes them.

use crate::html::item::untouched_item;
use model::{DecideItem, Questions};
use std::sync::{Arc, OnceLock};
use std::thread;
use texts::Lang;

/// From how many items on rendering is worth a thread of its own.
const MANY_ITEMS: usize = 50;

/// Questions, with their items rendered at most once per language.
///
/// A thousand items take longer to render than to ask for. Done beside the writing of `pending.json`, it is over
/// before the link is printed.
#[derive(Debug)]
pub struct BlankForm {
    questions: Questions,
    zh: OnceLock<Vec<RenderedItems>>,
    en: OnceLock<Vec<RenderedItems>>,
}

/// Items that follow each other. In one text: a thousand of their own cost the allocator more than the rendering.
#[derive(Debug, Default)]
struct RenderedItems {
    html: String,
    /// Where each item ends, in bytes.
    ends: Vec<usize>,
}

impl RenderedItems {
    fn items(&self) -> impl Iterator<Item = &str> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.html[start..end])
    }
}

impl BlankForm {
    /// Takes the questions; they are rendered on first view.
    pub fn new(questions: Questions) -> Arc<Self> {
        Arc::new(Self { questions, zh: OnceLock::new(), en: OnceLock::new() })
    }

    /// Takes the questions, and begins to render them in `lang` if they are many.
    pub fn prepare(questions: Questions, lang: Lang) -> Arc<Self> {
        let form = Self::new(questions);
        if form.questions.input().items.len() >= MANY_ITEMS {
            let form = Arc::clone(&form);
            // Without a thread to be had, the first request renders them.
            let _ = thread::Builder::new().spawn(move || {
                form.rendered(lang);
                form.questions.fingerprint();
            });
        }
        form
    }

    /// The questions.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Each item's HTML; empty for one that names a place in a file, because the file may change. Waits for a
    /// rendering that is under way.
    pub(crate) fn items(&self, lang: Lang) -> impl Iterator<Item = &str> {
        self.rendered(lang).iter().flat_map(RenderedItems::items)
    }

    fn rendered(&self, lang: Lang) -> &[RenderedItems] {
        let cell = match lang {
            Lang::Zh => &self.zh,
            Lang::En => &self.en,
        };
        cell.get_or_init(|| {
            let items = &self.questions.input().items[..];
            if items.len() < MANY_ITEMS {
                return vec![render(lang, items)];
            }
            // Two halves side by side: the one core that this takes is idle as soon as the link is printed.
            let (first, second) = items.split_at(items.len() / 2);
            thread::scope(|scope| {
                let helper = thread::Builder::new().spawn_scoped(scope, || render(lang, second));
                let first = render(lang, first);
                // Without a thread to be had, this one goes on.
                let second =
                    helper.ok().and_then(|helper| helper.join().ok()).unwrap_or_else(|| render(lang, second));
                vec![first, second]
            })
        })
    }
}

fn render(lang: Lang, items: &[DecideItem]) -> RenderedItems {
    let mut rendered = RenderedItems::default();
    for item in items {
        if item.location.is_none() {
            rendered.html.push_str(&untouched_item(lang, &lang.asked(item)));
        }
        rendered.ends.push(rendered.html.len());
    }
    rendered
}
