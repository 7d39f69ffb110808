//! Asks an agent until its answer is usable.

use crate::engine::prompt::Repair;
use crate::engine::proposal::Proposal;
use crate::engine::track::{ModelReply, StopReason, Track};
use llm::Provider;

/// Asks an agent until its answer can be used, or too often; then what is wrong with the last one is returned.
pub(crate) fn ask(
    track: &mut Track<'_>,
    agent: &str,
    provider: &dyn Provider,
    repairs: usize,
    prompt: &dyn Fn(&[String], Option<&Repair<'_>>) -> String,
    check: &dyn Fn(&Proposal) -> Result<(), String>,
) -> Result<Result<Proposal, String>, StopReason> {
    let mut before: Option<(String, String)> = None;
    let mut said_before: Vec<String> = Vec::new();
    for _ in 0..=repairs {
        let repair = before.as_ref().map(|(problem, answer)| Repair { problem, answer });
        let ModelReply { answer, said } =
            track.think(agent, provider, &said_before, |said| prompt(said, repair.as_ref()))?;
        // A repair prompt repeats the user's instructions: they have had no effect yet.
        said_before = said;
        let (problem, text) = match answer {
            Ok(answer) => {
                match Proposal::read(&answer.text).and_then(|proposal| check(&proposal).map(|()| proposal)) {
                    Ok(proposal) => return Ok(Ok(proposal)),
                    Err(problem) => (problem, answer.text),
                }
            }
            Err(bad) => (bad.to_string(), String::new()),
        };
        before = Some((problem, text));
    }
    Ok(Err(before.map(|(problem, _)| problem).unwrap_or_default()))
}
