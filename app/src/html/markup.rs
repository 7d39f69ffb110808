//! Parts of a page that are HTML already.

use leptos::prelude::*;
use leptos::tachys::html::InertElement;

/// A part of a page that has been rendered: what stands in the place of views of different types.
///
/// The `AnyView` of leptos does so too, but it also holds what waits for the view's parts and streams them. Nothing here
/// waits for anything, and for each type of a part that is a megabyte of program in all.
pub(crate) type Markup = InertElement;

/// Whatever can be rendered.
pub(crate) trait IntoMarkup {
    /// Renders it, within the reactive owner of the page.
    fn into_markup(self) -> Markup;
}

impl<V: IntoView> IntoMarkup for V {
    fn into_markup(self) -> Markup {
        Markup::new(self.into_view().to_html())
    }
}
