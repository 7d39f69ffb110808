//! Browser notifications of new questions, for a user who looks at something else.
//!
//! They need only the browser's permission. A button asks for it right after an answer; a user who has granted it may leave the
//! page open and is notified of the next questions.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Notification, NotificationOptions, NotificationPermission};

/// Whether the browser would show one.
pub(super) fn is_allowed() -> bool {
    permission() == Some(NotificationPermission::Granted)
}

/// Whether the person can still be asked.
pub(super) fn can_ask() -> bool {
    permission() == Some(NotificationPermission::Default)
}

/// Lets the browser ask the person.
pub(super) fn ask() {
    // What comes of it is seen by looking; a browser that does not ask has said no.
    let _ = Notification::request_permission();
}

/// Shows `body` to a user who does not see the page. A click leads to the page, and to the new questions.
pub(super) fn announce(body: &str) {
    if !is_allowed() || !document().hidden() {
        return;
    }
    let options = NotificationOptions::new();
    options.set_body(body);
    // One notification is enough for any number of questions.
    options.set_tag("aide");
    let Ok(notification) = Notification::new_with_options(&document().title(), &options) else { return };
    let open = Closure::once_into_js(|| {
        // A window that does not come forward is still the right one.
        let _ = window().focus();
        let _ = window().location().reload();
    });
    notification.set_onclick(Some(open.unchecked_ref()));
}

/// `None` where there are no notifications: in old browsers, and on pages that come by plain HTTP from elsewhere.
fn permission() -> Option<NotificationPermission> {
    window().get("Notification").map(|_| Notification::permission())
}
