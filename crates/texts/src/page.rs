//! The words of the page, one table per language: a text that is missing in one of them does not compile.
//!
//! `{…}` marks a place that [`fill`] replaces; the browser does the same with the few texts it gets.

mod en;
mod zh;

use crate::Lang;
use en::EN;
use model::{DecideInput, DecideItem, DecideOption, Preview, is_blank};
use zh::ZH;

/// All words of the page.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct PageTexts {
    pub title: &'static str,
    pub lead: &'static str,
    pub task: &'static str,
    pub source: &'static str,
    pub other_language: &'static str,
    pub items: &'static str,
    pub overview: &'static str,
    pub recommended: &'static str,
    pub recommends: &'static str,
    pub option: &'static str,
    pub picture: &'static str,
    pub score_head: &'static str,
    pub score: &'static str,
    pub pros: &'static str,
    pub cons: &'static str,
    pub unfold: &'static str,
    pub location: &'static str,
    pub omitted_lines: &'static str,
    pub lines_above: &'static str,
    pub lines_below: &'static str,
    pub source_changed: &'static str,
    pub source_gone: &'static str,
    pub several: &'static str,
    pub optional: &'static str,
    pub leave_open: &'static str,
    pub other: &'static str,
    pub other_label: &'static str,
    pub other_placeholder: &'static str,
    pub answer: &'static str,
    pub answer_placeholder: &'static str,
    pub answered: &'static str,
    /// In the place of options, where there are none.
    pub in_words: &'static str,
    pub note: &'static str,
    pub note_placeholder: &'static str,
    pub note_of: &'static str,
    pub progress: &'static str,
    /// Where some questions may be left open.
    progress_required: &'static str,
    pub submit: &'static str,
    pub submitting: &'static str,
    submit_hint: &'static str,
    /// Where some questions may be left open.
    submit_hint_required: &'static str,
    /// On the button, where a part of the answers can be submitted.
    pub submit_part: &'static str,
    /// That it can.
    pub partial: &'static str,
    left_for_later: [&'static str; 2],
    full_stop: &'static str,
    pub take_recommendations: &'static str,
    /// The same where there is little room.
    pub take_recommendations_short: &'static str,
    pub take_recommendations_hint: &'static str,
    pub failed: &'static str,
    pub unreachable: &'static str,
    pub incomplete_item: &'static str,
    pub incomplete_text: &'static str,
    pub incomplete_confirm: &'static str,
    pub incomplete_files: &'static str,
    pub not_answered: &'static str,
    pub draft_kept: &'static str,
    pub review_button: &'static str,
    pub review: &'static str,
    pub review_hint: &'static str,
    pub review_back: &'static str,
    pub closes_at: &'static str,
    pub time_left: &'static str,
    pub extend: &'static str,
    pub extend_by_itself: &'static str,
    pub stale: &'static str,
    pub stale_hint: &'static str,
    pub written: &'static str,
    /// Before what was written on a page whose questions ended elsewhere.
    pub unsent: &'static str,
    pub reload: &'static str,
    pub notify: &'static str,
    pub new_questions: &'static str,
    pub decided: &'static str,
    pub decided_elsewhere: &'static str,
    pub decided_elsewhere_hint: &'static str,
    pub take_back: &'static str,
    pub take_back_hint: &'static str,
    pub close: &'static str,
    pub see_again: &'static str,
    pub see_all: &'static str,
    pub cancelled: &'static str,
    pub cancelled_hint: &'static str,
    pub expired: &'static str,
    pub expired_hint: &'static str,
    pub unknown_address: &'static str,
    pub unknown_address_hint: &'static str,
    pub only_addresses_hint: &'static str,
    pub no_page: &'static str,
    pub no_page_hint: &'static str,
    pub no_page_way_on: &'static str,
    pub door: &'static str,
    pub door_hint: &'static str,
    pub door_button: &'static str,
    pub welcome: &'static str,
    pub welcome_hint: &'static str,
    pub go_on: &'static str,
    pub logged_out: &'static str,
    pub logged_out_hint: &'static str,
    pub logged_out_page: &'static str,
    pub not_sent_hint: &'static str,
    pub other_user: &'static str,
    pub other_user_hint: &'static str,
    pub other_user_page: &'static str,
    pub other_user_not_sent_hint: &'static str,
    pub ticket_over: &'static str,
    pub ticket_over_hint: &'static str,
    pub too_many_tickets_hint: &'static str,
    pub return_title: &'static str,
    pub return_hint: &'static str,
    pub return_message: &'static str,
    pub return_placeholder: &'static str,
    pub return_items: &'static str,
    pub return_button: &'static str,
    pub return_missing: &'static str,
    pub returned: &'static str,
    pub returned_hint: &'static str,
    /// Before the titles of those that were named.
    pub returned_items: &'static str,
    pub returned_elsewhere: &'static str,
    pub returned_already: &'static str,
    pub summary: &'static str,
    pub keys: &'static str,
    pub key_next: &'static str,
    /// The two halves of it, where each has a row.
    pub key_forward: &'static str,
    pub key_backward: &'static str,
    pub key_choose: &'static str,
    pub key_recommended: &'static str,
    pub key_all: &'static str,
    pub key_note: &'static str,
    pub key_other: &'static str,
    pub key_clear: &'static str,
    pub key_undo: &'static str,
    /// Between keys that do the same.
    pub key_or: &'static str,
    pub key_review: &'static str,
    /// What a change is called: of several answers, of one that is given, of one that is cleared, of what is sent back; then
    /// what stands before it once it is undone, and after it how to undo it. `#` is the number, or the key.
    pub changes: [&'static str; 6],
    pub undo: &'static str,
    pub redo: &'static str,
    pub key_defer: &'static str,
    pub key_ask_back: &'static str,
    pub key_view: &'static str,
    pub key_leave: &'static str,
    pub key_submit: &'static str,
    pub key_help: &'static str,
    pub separator: &'static str,
    pub http_refused: &'static str,
    pub http_bad_host: &'static str,
    pub http_not_found: &'static str,
    pub http_not_found_detail: &'static str,
    pub http_cross_site: &'static str,
    pub http_bad_request: &'static str,
    pub http_login: &'static str,
    pub http_other_user: &'static str,
    pub http_media_type: &'static str,
    pub http_too_large: &'static str,
    pub http_too_large_detail: &'static str,
    pub http_too_slow: &'static str,
    pub http_stuck: &'static str,
    pub http_stuck_detail: &'static str,
    pub http_busy_detail: &'static str,
    pub http_held_detail: &'static str,
    pub http_invalid: &'static str,
    pub http_conflict: &'static str,
    pub http_closed: &'static str,
    pub http_save_failed: &'static str,
    pub http_saved: &'static str,
    pub left_open: &'static str,
    pub restored: &'static str,
    pub restored_here: &'static str,
    /// After answers were taken back.
    pub taken_back: &'static str,
    pub key_send_back: &'static str,
    pub key_advance: &'static str,
}

impl Lang {
    /// The words of the page in this language.
    pub fn page(self) -> &'static PageTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }

    /// The language to switch to.
    pub fn other(self) -> Self {
        match self {
            Self::Zh => Self::En,
            Self::En => Self::Zh,
        }
    }
}

/// Replaces each `{name}` of `template` by its value. Values are inserted as they are, also when they contain
/// braces. `{name:task|tasks}` stands for the first word where the value is 1, else for the second.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                let (name, forms) = name.split_once(':').unwrap_or((name, ""));
                if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
                    filled.push_str(match forms.split_once('|') {
                        None => value,
                        Some((one, many)) => {
                            if *value == "1" {
                                one
                            } else {
                                many
                            }
                        }
                    });
                }
                rest = tail;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

impl PageTexts {
    /// The template of how many questions of `input` are answered, of those that need an answer.
    pub fn progress_of(&self, input: &DecideInput) -> &'static str {
        if input.items.iter().all(DecideItem::needs_choice) { self.progress } else { self.progress_required }
    }

    /// What an option looks like, as far as text can show it; `None` where nothing is said of that.
    pub fn preview(&self, option: &DecideOption) -> Option<String> {
        match option.preview.as_ref()? {
            Preview::Text(text) if is_blank(text) => None,
            Preview::Text(text) => Some(text.trim_matches(['\n', '\r']).trim_end().to_owned()),
            Preview::Picture(_) => Some(self.picture.to_owned()),
            Preview::File(file) => Some(format!("{}: {file}", self.picture)),
        }
    }

    /// What is to be done before `input` can be submitted as a whole.
    pub fn submit_hint_of(&self, input: &DecideInput) -> &'static str {
        if input.items.iter().all(DecideItem::needs_choice) {
            self.submit_hint
        } else {
            self.submit_hint_required
        }
    }

    /// How many items were left for later when the others were answered.
    pub fn left_for_later(&self, count: usize) -> String {
        counted(self.left_for_later, count)
    }

    /// The same, as a sentence.
    pub fn left_for_later_sentence(&self, count: usize) -> String {
        self.left_for_later(count) + self.full_stop
    }

    /// The name of the button that submits, when `done` of `total` items are answered that need an answer.
    pub fn submit_of(&self, input: &DecideInput, done: usize, total: usize) -> String {
        if input.partial && done > 0 && done < total {
            fill(self.submit_part, &[("done", &done.to_string()), ("total", &total.to_string())])
        } else {
            self.submit.to_owned()
        }
    }
}

/// The words for one, or those for any other number, with `{count}`.
pub(crate) fn counted([one, many]: [&'static str; 2], count: usize) -> String {
    if count == 1 { one.to_owned() } else { fill(many, &[("count", &count.to_string())]) }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_are_inserted_as_they_are() {
        assert_eq!(fill("{done}/{total}", &[("done", "{total}"), ("total", "2")]), "{total}/2");
        assert_eq!(fill("a { b", &[]), "a { b");
        let lines = |count| fill("{count} {count:line|lines}", &[("count", count)]);
        assert_eq!([lines("0"), lines("1"), lines("11")], ["0 lines", "1 line", "11 lines"]);
    }
}
