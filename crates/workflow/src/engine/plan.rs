//! Checks that a plan (contract/workflows §6.3) consists of tasks that can be executed in an order.

use crate::tasks::check_brought;
use protocol::workflow::api::Capability;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// How many tasks a plan may have.
const MAX_TASKS: usize = 15;

/// The tasks of a plan that an agent proposes, as a list of tasks is brought to a workflow, which takes every such list.
///
/// # Errors
///
/// All that is wrong with it, in words for the agent. `able` has the capabilities of all agents, each with the best level.
pub fn read_plan(params: &Map<String, Value>, able: &[Capability]) -> Result<Vec<Value>, String> {
    let ParsedPlan { rows, mut problems, lacks } = read(params, able)?;
    problems.extend(lacks);
    if problems.is_empty() { Ok(rows) } else { Err(problems.join("; ")) }
}

/// The tasks of a plan with which nothing is wrong but that it needs what no agent is able to do; `None` for any other.
pub(crate) fn read_lacking(params: &Map<String, Value>, able: &[Capability]) -> Option<Vec<Value>> {
    let ParsedPlan { rows, problems, lacks } = read(params, able).ok()?;
    (problems.is_empty() && !lacks.is_empty()).then_some(rows)
}

/// A plan as it was read.
struct ParsedPlan {
    rows: Vec<Value>,
    problems: Vec<String>,
    /// What it needs that no agent is able to do.
    lacks: Vec<String>,
}

fn read(params: &Map<String, Value>, able: &[Capability]) -> Result<ParsedPlan, String> {
    let Some(Value::Array(proposed)) = params.get("tasks") else {
        return Err("`params.tasks` is not an array".to_owned());
    };
    if proposed.is_empty() || proposed.len() > MAX_TASKS {
        return Err(format!("a plan has 1 to {MAX_TASKS} tasks, not {}", proposed.len()));
    }
    let (mut problems, mut lacks) = (Vec::new(), Vec::new());
    let mut tasks: Vec<(String, Vec<String>)> = Vec::new();
    let mut rows = Vec::new();
    for (number, task) in (1..).zip(proposed) {
        let texts = |key: &str| match task.get(key) {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Array(texts)) => {
                texts.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            Some(_) => None,
        };
        let text =
            |key: &str| task.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let (Some(needs), Some(capabilities)) = (texts("dependencies"), texts("requiredCapabilities")) else {
            problems.push(format!(
                "task {number}: dependencies and requiredCapabilities must be arrays of strings"
            ));
            continue;
        };
        let Some(description) = text("description") else {
            problems.push(format!("task {number} has no description"));
            continue;
        };
        let id = text("id").map_or_else(|| format!("task-{number}"), str::to_owned);
        if tasks.iter().any(|(known, _)| *known == id) {
            problems.push(format!("duplicate id {id}"));
        }
        let level_of = |name: &String| able.iter().find(|able| able.kind == *name).map(|able| able.level);
        if let Some(unknown) = capabilities.iter().find(|capability| level_of(capability).is_none()) {
            let known: Vec<&str> = able.iter().map(|able| &*able.kind).collect();
            lacks.push(format!(
                "{id}: no agent has the capability {unknown}; available: {}",
                known.join(", ")
            ));
        }
        let mut row = json!({
            "id": id, "description": description, "dependencies": needs, "requiredCapabilities": capabilities,
            "status": "pending"
        });
        if let Some(estimate) = task.get("estimatedDuration").filter(|estimate| estimate.is_u64()) {
            row["estimatedDuration"] = estimate.clone();
        }
        if let Some(level) = task.get("minLevel").filter(|level| !level.is_null()) {
            row["minLevel"] = level.clone();
            let best = if capabilities.is_empty() {
                able.iter().map(|able| able.level).max()
            } else {
                capabilities.iter().filter_map(level_of).max()
            };
            if let Some(best) = best.filter(|best| level.as_u64().is_some_and(|level| level > *best)) {
                lacks.push(format!("{id}: no agent reaches level {level}; the highest is {best}"));
            }
        }
        if let Err(problem) = check_brought(&row) {
            problems.push(format!("task {number}: {problem}"));
        }
        rows.push(row);
        tasks.push((id, needs));
    }
    problems.extend(dependency_problems(&tasks));
    Ok(ParsedPlan { rows, problems, lacks })
}

/// What each task of a plan that was read must deliver, where the planner says so.
pub(crate) fn deliverables(params: &Map<String, Value>) -> Map<String, Value> {
    let tasks = params.get("tasks").and_then(Value::as_array).into_iter().flatten();
    let deliverable = |(number, task): (usize, &Value)| {
        let said = task.get("deliverable").filter(|said| !said.is_null())?;
        let id = task.get("id").and_then(Value::as_str).map(str::trim).filter(|id| !id.is_empty());
        Some((id.map_or_else(|| format!("task-{number}"), str::to_owned), said.clone()))
    };
    (1..).zip(tasks).filter_map(deliverable).collect()
}

/// Tasks that need what is not there, or themselves.
fn dependency_problems(tasks: &[(String, Vec<String>)]) -> Vec<String> {
    let known: HashSet<&str> = tasks.iter().map(|(id, _)| id.as_str()).collect();
    let mut problems = Vec::new();
    for (id, needs) in tasks {
        let missing = needs.iter().filter(|need| !known.contains(need.as_str()));
        problems.extend(missing.map(|need| format!("{id} depends on {need}, which does not exist")));
    }
    let mut done: HashSet<&str> = HashSet::new();
    loop {
        let is_next = |needs: &[String]| {
            needs.iter().all(|need| done.contains(need.as_str()) || !known.contains(need.as_str()))
        };
        let next: Vec<&str> = tasks
            .iter()
            .filter(|(id, needs)| !done.contains(id.as_str()) && is_next(needs))
            .map(|(id, _)| id.as_str())
            .collect();
        if next.is_empty() {
            break;
        }
        done.extend(next);
    }
    let circular: Vec<&str> = known_in_order(tasks).filter(|id| !done.contains(id)).collect();
    match circular.as_slice() {
        [] => {}
        [alone] => problems.push(format!("{alone} depends on itself")),
        together => problems.push(format!("{} depend on each other", together.join(", "))),
    }
    problems
}

fn known_in_order(tasks: &[(String, Vec<String>)]) -> impl Iterator<Item = &str> {
    tasks.iter().map(|(id, _)| id.as_str())
}

#[cfg(test)]
mod tests {
    use super::read_plan;
    use protocol::workflow::api::Capability;
    use serde_json::{Value, json};

    fn able() -> [Capability; 1] {
        [Capability { kind: "web_search".to_owned(), level: 8 }]
    }

    fn wrong(tasks: Value) -> String {
        read_plan(json!({ "tasks": tasks }).as_object().unwrap(), &able()).unwrap_err()
    }

    #[test]
    fn a_plan_is_taken_as_a_list_of_tasks() {
        let params = json!({ "tasks": [
            { "id": "a", "description": "Search", "requiredCapabilities": ["web_search"], "estimatedDuration": 5 },
            { "description": "Write", "dependencies": ["a"], "minLevel": 8 },
        ] });
        let tasks = read_plan(params.as_object().unwrap(), &able()).unwrap();
        assert_eq!(tasks[0]["estimatedDuration"], 5);
        assert_eq!((&tasks[0]["minLevel"], &tasks[1]["minLevel"]), (&Value::Null, &json!(8)));
        assert_eq!((&tasks[1]["id"], &tasks[1]["dependencies"]), (&json!("task-2"), &json!(["a"])));
    }

    #[test]
    fn what_cannot_be_done_is_no_plan() {
        let task = |id: &str, needs: &[&str]| json!({ "id": id, "description": id, "dependencies": needs });
        assert_eq!(wrong(json!(null)), "`params.tasks` is not an array");
        assert_eq!(wrong(json!([])), "a plan has 1 to 15 tasks, not 0");
        assert_eq!(wrong(vec![task("a", &[]); 16].into()), "a plan has 1 to 15 tasks, not 16");
        assert_eq!(wrong(json!([task("a", &[]), task("a", &[])])), "duplicate id a");
        assert_eq!(wrong(json!([task("a", &["b"])])), "a depends on b, which does not exist");
        assert_eq!(wrong(json!([task("a", &["a"])])), "a depends on itself");
        let cycle = json!([task("a", &[]), task("b", &["c", "a"]), task("c", &["b"])]);
        assert_eq!(wrong(cycle), "b, c depend on each other");
        assert_eq!(wrong(json!([{ "id": "a", "description": " " }])), "task 1 has no description");
        let unable = json!([{ "id": "a", "description": "x", "requiredCapabilities": ["magic"] }]);
        assert_eq!(wrong(unable), "a: no agent has the capability magic; available: web_search");
        let best =
            json!([{ "id": "a", "description": "x", "requiredCapabilities": ["web_search"], "minLevel": 9 }]);
        assert_eq!(wrong(best), "a: no agent reaches level 9; the highest is 8");
        let level = json!([{ "id": "a", "description": "x", "minLevel": "high" }]);
        assert_eq!(wrong(level), "task 1: minLevel must be a number from 1 to 10");
        let long = json!([{ "id": "x".repeat(129), "description": "x" }]);
        assert_eq!(wrong(long), "task 1: id must be a string of 1 to 128 bytes");
        let slow = json!([{ "id": "a", "description": "x", "estimatedDuration": u64::MAX }]);
        assert_eq!(wrong(slow), "task 1: estimatedDuration must be a number of milliseconds");
        let number = json!([{ "id": "a", "description": "x", "dependencies": [1] }]);
        assert_eq!(wrong(number), "task 1: dependencies and requiredCapabilities must be arrays of strings");
    }
}
