//! What agents answer, and the plans that they follow.

use agent::Answer;
use agent::dag::{Drafts, Facts, Flaw, Graph, Surroundings, lint, progress};
use protocol::agent::{Code, Format, State, TaskDag, Timestamp};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use texts::{Lang, plan_finding};

/// An answer has what was asked for, and says so again when it is written as JSON; or it is refused under a code of answers.
pub(crate) fn agent_answer(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for is_scored in [false, true] {
        let answer = Answer::parse(text, is_scored);
        assert_eq!(Answer::parse(text, is_scored), answer);
        match answer {
            Ok(answer) => {
                assert_eq!(answer.score.is_some(), is_scored);
                assert!(!answer.result.is_null());
                let again = json!({
                    "result": answer.result, "score": answer.score, "files": answer.files,
                    "score_explanation": answer.score_explanation,
                });
                assert_eq!(Answer::parse(&again.to_string(), is_scored), Ok(answer));
            }
            Err(violation) => {
                let codes = [Code::LlmOutputInvalid, Code::ScoreMissing, Code::ScoreOutOfRange];
                assert!(codes.contains(&violation.code), "{violation:?}");
                assert!(is_scored || violation.code == Code::LlmOutputInvalid, "{violation:?}");
            }
        }
    }
}

/// What is wrong with a plan can be said, and one whose tasks do not depend on one another can begin.
pub(crate) fn plan(data: &[u8]) {
    let Ok(dag) = TaskDag::parse(data) else { return };
    let drafts = Drafts::new();
    let findings = lint(&dag, Surroundings::default());
    for finding in &findings {
        for lang in [Lang::Zh, Lang::En] {
            let words = plan_finding(lang, finding);
            assert!(!words.is_empty() && !words.chars().any(char::is_control), "{words:?}");
        }
    }
    let graph = Graph::new(&dag);
    let (work, evidence, asked, in_transit) = (BTreeMap::new(), Vec::new(), BTreeMap::new(), BTreeSet::new());
    let progress = progress(&Facts {
        graph: &graph,
        manifest: None,
        drafts: &drafts,
        work: &work,
        arrived: &BTreeMap::new(),
        evidence: &evidence,
        asked: &asked,
        retried: &BTreeMap::new(),
        instructions: &BTreeMap::new(),
        in_transit: &in_transit,
        now: &Timestamp::from_unix(1_700_000_000),
    });
    let is_cyclic = findings.iter().any(|finding| matches!(finding.flaw, Flaw::Cycle(_)));
    assert_eq!(progress.is_none(), is_cyclic, "{findings:?}");
    let Some(progress) = progress else { return };
    let tasks: BTreeSet<_> = dag.nodes.iter().map(|node| node.task_id.as_str()).collect();
    assert_eq!(progress.iter().map(|one| one.task_id.as_str()).collect::<BTreeSet<_>>(), tasks);
    assert_eq!(progress.len(), tasks.len());
    // Nothing was done yet.
    assert!(
        progress.iter().all(|one| !matches!(one.state, State::Completed | State::Failed | State::Running))
    );
}
