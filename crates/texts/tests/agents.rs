//! Every rule for what agents tell one another, in both languages.

use model::Found;
use protocol::agent::{FormatError, PathFault, Problem, Rule};
use std::collections::BTreeSet;
use texts::{Explain, Lang, agent_problem, missing_parameter};

/// A sample of each rule, with the source of its parameters. The `match` has no wildcard, so a rule without one does not compile.
macro_rules! rules {
    ($($variant:ident $({ $($field:ident: $value:expr),* })?,)*) => {{
        let rules = vec![$(Rule::$variant $({ $($field: $value),* })?),*];
        for rule in &rules {
            match rule {
                $(Rule::$variant { .. } => (),)*
            }
        }
        let sources = [$(concat!("" $($(, stringify!($value), " ")*)?)),*];
        rules.into_iter().zip(sources).collect::<Vec<_>>()
    }};
}

fn rules() -> Vec<(Rule, &'static str)> {
    let mut rules = rules! {
        IsGiven, IsObject, IsString, NotBlank, IsBoolean,
        IsInteger { least: 1 },
        IsNumber { least: 0 },
        IsScore, IsArray, IsFilledArray,
        IsOneOf { names: &["APPROVE", "REJECT"] },
        IsId, IsCommandId,
        IsPath { fault: PathFault::Reserved },
        IsSha256, IsTimestamp, IsVersion,
        VersionSupported { newest: "1.0", dag: false },
        IsMessageType,
        SameAsEnvelope { envelope: "plan_a".to_owned() },
        SeqGiven, SeqInId,
        SeqMatchesId { in_id: "001".to_owned() },
        TaskMatchesId { in_id: "task_a".to_owned() },
        NamesNoTarget, MinNotAboveMax, NeedsScore, IsUnique, NeedsHashes,
    };
    let faults =
        [PathFault::Empty, PathFault::Absolute, PathFault::Parent, PathFault::Control, PathFault::TooLong];
    rules.extend(faults.map(|fault| (Rule::IsPath { fault }, "")));
    rules
}

#[test]
fn every_rule_has_its_sentence() {
    const PATH: &str = "payload.files[0].path";
    for lang in Lang::ALL {
        let mut sentences = BTreeSet::new();
        for (rule, source) in rules() {
            let found = Found::Json("\"x\"".to_owned());
            let told = agent_problem(lang, &Problem { path: PATH.to_owned(), rule, found });
            assert!(told.starts_with(&format!("{PATH} ")) && told.ends_with(']'), "{told}");
            assert!(!told.contains('\n'), "{told}");
            assert_eq!(missing_parameter(&told, source), None, "{told}");
            sentences.insert(told);
        }
        assert_eq!(sentences.len(), rules().len(), "{sentences:?}");
    }
}

fn missing(path: &str) -> Problem {
    Problem { path: path.to_owned(), rule: Rule::IsString, found: Found::Missing }
}

#[test]
fn of_many_problems_the_first_are_told() {
    let error = FormatError::Invalid((0..60).map(|index| missing(&format!("a[{index}]"))).collect());
    let told = error.explain(Lang::En);
    assert_eq!(told.what, "invalid data: a[0] must be a string, but is missing [SCHEMA_INVALID]");
    assert_eq!(told.lines.len(), 52);
    assert_eq!(told.lines[0], "59 more problems:");
    assert_eq!(told.lines[51], "- and 9 more");
    let one = FormatError::Invalid(vec![missing(""), missing("a")]).explain(Lang::Zh);
    assert_eq!(one.what, "数据验证失败: 文档 必须为字符串，当前缺失 [SCHEMA_INVALID]");
    assert_eq!(one.lines, ["另有 1 个问题:", "- a 必须为字符串，当前缺失 [SCHEMA_INVALID]"]);
}

#[test]
fn a_path_that_somebody_made_up_is_told_in_part() {
    let told = agent_problem(Lang::En, &missing(&"长".repeat(10_000)));
    assert!(told.starts_with(&format!("{}… must", "长".repeat(200))), "{told}");
}
