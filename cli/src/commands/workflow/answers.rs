//! What can be answered to a decision, and what is wrong with an answer that the daemon refuses.

use crate::failure::Failure;
use crate::messages::{DaemonMessage, Message};
use client::ClientError;
use model::respond;
use protocol::workflow::DecisionStatus;
use protocol::workflow::api::DecisionView;

/// The answers that a decision takes.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Empty where any text can be answered.
    options: Vec<String>,
    /// Whether several of them can be chosen.
    several: bool,
}

impl Answers {
    /// The answers to `decision`: to a call of a tool there are more than its options say.
    pub(super) fn to(decision: &DecisionView) -> Self {
        let options = match &decision.consent {
            Some(consent) => consent.answers.iter().map(|answer| answer.answer.clone()).collect(),
            None => decision.options.clone().unwrap_or_default(),
        };
        Self { options, several: decision.multi_select }
    }

    /// The failure of an answer that the daemon has refused with `error`: what can be typed, and the page, which takes more.
    pub(super) fn refused(&self, answer: &str, page: String, error: ClientError) -> Failure {
        let hint = Message::daemon(DaemonMessage::NoteOnPage { page });
        Failure::new(Message::daemon(self.complaint(answer)), hint).with_code(Failure::from(error).code)
    }

    /// What to say of an answer that is none of these.
    pub(super) fn complaint(&self, answer: &str) -> DaemonMessage {
        let Self { options, several } = self;
        let unknown = self.unknown_part(answer).filter(|_| *several);
        DaemonMessage::NoAnswer { options: options.clone(), unknown, several: *several }
    }

    /// The part of a list of answers that is none of these.
    fn unknown_part(&self, answer: &str) -> Option<String> {
        let options = &self.options;
        let is_number = |part: &str| part.parse().is_ok_and(|number| (1..=options.len()).contains(&number));
        let is_known = |part: &str| {
            is_number(part) || options.iter().any(|option| option.to_lowercase() == part.to_lowercase())
        };
        respond::unknown_part(answer, is_known).filter(|_| options.len() > 2).map(str::to_owned)
    }
}

/// What an open decision takes beside one of its options.
pub(super) fn besides(decision: &DecisionView) -> Option<&'static str> {
    if decision.status != DecisionStatus::Pending.name() || decision.consent.is_some() {
        return None;
    }
    // Yes and no together are no answer.
    let are_several = match decision.options.as_deref().unwrap_or_default() {
        [] | [_] => false,
        [first, second] => !respond::are_yes_and_no(first, second),
        _ => true,
    };
    let several = decision.multi_select && are_several;
    match (several, decision.allow_other == Some(true)) {
        (true, true) => Some("one or several, such as 1,2, or your own words"),
        (true, false) => Some("one or several, such as 1,2"),
        (false, true) => Some("or your own words"),
        (false, false) => None,
    }
}
