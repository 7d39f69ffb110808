//! What a person can do to a workflow.

use super::one::Place;
use crate::html::markup::IntoMarkup;
use leptos::prelude::*;
use protocol::workflow::WorkflowState;

/// To pause it, with or without what is running, to let it go on, to end it. That it ends for good is asked for twice, without a script.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Control(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, .. } = *place;
    let has_ended = workflow.state.is_terminal();
    let resume = match workflow.state {
        _ if workflow.is_interrupted => Some("resume-interrupted"),
        WorkflowState::Paused => Some("resume"),
        _ => None,
    };
    let go = if let Some(action) = resume {
        view! {
            <button id="go" class="main" type="submit" name="action" value=action>
                {words.resume}
            </button>
        }
        .into_markup()
    } else {
        view! {
            <button id="go" type="submit" name="action" value="pause" aria-describedby="pause-hint">
                {words.pause}
            </button>
            <button id="pause-hard" type="submit" name="action" value="pause-hard" aria-describedby="pause-hint">
                {words.pause_hard}
            </button>
        }
        .into_markup()
    };
    let hint = resume.is_none().then(|| view! { <p id="pause-hint">{words.pause_hint}</p> });
    let parts = (!has_ended).then(|| {
        view! {
            <form method="post" action=place.action()>
                {go}
            </form>
            <details id="cancel-ask">
                <summary>{words.cancel_ask}</summary>
                <form method="post" action=place.action()>
                    <p id="cancel-hint">{words.cancel_hint}</p>
                    <button id="cancel" type="submit" name="action" value="cancel" aria-describedby="cancel-hint">
                        {words.cancel}
                    </button>
                </form>
            </details>
            {hint}
        }
    });
    view! {
        <section id="control" class="control" aria-label=words.control data-live hidden=has_ended>
            {parts}
        </section>
    }
}

/// To say something to it. While it asks something, what is said would be the answer to that, so there is no place for it then.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Say(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, .. } = *place;
    let cannot = workflow.state.is_terminal() || !workflow.pending.is_empty();
    // The contract has it so: input to a paused workflow resumes it.
    let hint = match workflow.state {
        WorkflowState::Paused => words.say_hint_paused,
        _ => words.say_hint,
    };
    let form = (!cannot).then(|| {
        view! {
            <form class="say" method="post" action=place.action()>
                <label for="input">{words.say}</label>
                <textarea id="input" name="input" rows="1" required aria-describedby="say-hint"></textarea>
                <button id="send" type="submit" name="action" value="input">
                    {words.send}
                </button>
                <p id="say-hint" class="about">
                    {hint}
                </p>
            </form>
        }
    });
    view! {
        <div id="say" data-live hidden=cannot>
            {form}
        </div>
    }
}
