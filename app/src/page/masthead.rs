//! The head of a page: where else there is something to see, and in which language.

use leptos::prelude::*;
use texts::Lang;

/// The page below the masthead.
#[derive(Debug, Clone)]
pub(super) enum Here {
    /// The open questions.
    Form,
    /// A page of the history; its own address in the other language.
    History(String),
}

#[component]
pub(super) fn Masthead(lang: Lang, here: Here) -> impl IntoView {
    let words = lang.history();
    let (code, other) = (lang.code(), lang.other());
    // The form is left by buttons that keep what was given; a link would lose it, until a script is awake that keeps it.
    let hidden_until_woken = matches!(here, Here::Form);
    let (elsewhere, name, same_in_other) = match here {
        Here::Form => (format!("/history?lang={code}"), words.history, format!("/?lang={}", other.code())),
        Here::History(address) => (format!("/?lang={code}"), words.questions, address),
    };
    view! {
        <header class="masthead">
            <p class="brand">"Aide"</p>
            <nav aria-label=words.navigation class:woken=hidden_until_woken>
                <a class="history" href=elsewhere>
                    {name}
                </a>
                <a class="language" href=same_in_other hreflang=other.html_lang() lang=other.html_lang()>
                    {lang.page().other_language}
                </a>
            </nav>
        </header>
    }
}
