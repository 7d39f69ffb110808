//! Answers, and whether they fit the questions.

use crate::path::Place;
use crate::read::{Reader, optional};
use crate::{DecideInput, DecideOutput, Decision, Problem, Rule, is_blank, strict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What the person has given for one item so far.
///
/// The page names an option by its position, not by its value: a position survives HTML and form encoding
/// unchanged, whatever characters the value is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The item.
    pub id: u64,
    /// The chosen option, counted from 0; `None` while nothing is chosen.
    #[serde(default)]
    pub option: Option<u32>,
    /// The note as typed; empty when there is none.
    #[serde(default)]
    pub note: String,
}

/// Everything the person has given so far: a draft while it is incomplete, a submission when it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSheet {
    /// At most one per item; items without an answer may be missing.
    #[serde(default)]
    pub answers: Vec<Answer>,
}

impl AnswerSheet {
    /// The answer for one item, if any was given.
    pub fn get(&self, id: u64) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.id == id)
    }

    /// The items of `input` for which no option is chosen, in their order.
    pub fn open_items(&self, input: &DecideInput) -> Vec<u64> {
        let chosen: HashSet<u64> =
            self.answers.iter().filter(|answer| answer.option.is_some()).map(|answer| answer.id).collect();
        input.items.iter().map(|item| item.id).filter(|id| !chosen.contains(id)).collect()
    }

    /// Chooses the recommended option for every item that has one and no choice yet. What the person chose stays.
    pub fn take_recommendations(&mut self, input: &DecideInput) {
        for item in &input.items {
            let Some(recommended) = item.recommended() else { continue };
            match self.answers.iter_mut().find(|answer| answer.id == item.id) {
                Some(answer) => {
                    answer.option.get_or_insert(recommended);
                }
                None => {
                    self.answers.push(Answer { id: item.id, option: Some(recommended), note: String::new() })
                }
            }
        }
    }

    /// The sheet as the documented output, or what is wrong with it.
    pub fn decide(&self, input: &DecideInput) -> Result<DecideOutput, Vec<Problem>> {
        let items: HashMap<u64, _> = input.items.iter().map(|item| (item.id, item)).collect();
        let mut reader = Reader::default();
        let mut decisions = Vec::new();
        for (index, answer) in self.answers.iter().enumerate() {
            let Some(option) = answer.option else { continue };
            let chosen = items
                .get(&answer.id)
                .and_then(|item| item.options.get(usize::try_from(option).ok()?))
                .map_or_else(|| format!("#{option}"), |option| option.value.clone());
            decisions.push((index, Decision { id: answer.id, chosen, note: Some(answer.note.clone()) }));
        }
        let output = fit(&mut reader, &Place::Root.key("answers"), input, decisions);
        finish(reader, output)
    }
}

impl crate::DecideItem {
    /// The position of the recommended option.
    pub fn recommended(&self) -> Option<u32> {
        let recommend = self.recommend.as_ref()?;
        let position = self.options.iter().position(|option| &option.value == recommend)?;
        u32::try_from(position).ok()
    }
}

/// Reads the documented submission `{"decisions":[{"id","chosen","note"?}]}` and checks that it answers `input`:
/// every item once, with an option that was offered. A text that is not JSON is told by the parser's own words.
pub fn parse_output(text: &str, input: &DecideInput) -> Result<DecideOutput, Result<Vec<Problem>, String>> {
    let value = strict::parse(text).map_err(|error| Err(error.to_string()))?;
    let mut reader = Reader::default();
    let output = read_decisions(&mut reader, &value).and_then(|decisions| {
        // A sheet with malformed entries would only be reported as incomplete on top.
        let path = Place::Root.key("decisions");
        if reader.is_clean() { fit(&mut reader, &path, input, decisions) } else { None }
    });
    finish(reader, output).map_err(Ok)
}

fn finish(reader: Reader, output: Option<DecideOutput>) -> Result<DecideOutput, Vec<Problem>> {
    let problems = reader.into_problems();
    match output {
        Some(output) if problems.is_empty() => Ok(output),
        _ => Err(problems),
    }
}

fn read_decisions(reader: &mut Reader, value: &Value) -> Option<Vec<(usize, Decision)>> {
    let root = Place::Root;
    let object = reader.object(&root, Some(value), Rule::OutputIsObject)?;
    let path = root.key("decisions");
    let array = reader.filled_array(&path, object.get("decisions"))?;
    let mut decisions = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let decision = read_decision(reader, &path.index(index), value);
        decisions.extend(decision.map(|decision| (index, decision)));
    }
    Some(decisions)
}

fn read_decision(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Decision> {
    let object = reader.object(path, Some(value), Rule::IsObject)?;
    let id = reader.positive(&path.key("id"), object.get("id"));
    let chosen = reader.written(&path.key("chosen"), object.get("chosen"));
    let note = optional(object, "note").and_then(|value| reader.string(&path.key("note"), Some(value)));
    Some(Decision { id: id?, chosen: chosen?, note })
}

/// Brings the decisions at `path` into the order of the items; notes without content are dropped.
fn fit(
    reader: &mut Reader,
    path: &Place<'_>,
    input: &DecideInput,
    decisions: Vec<(usize, Decision)>,
) -> Option<DecideOutput> {
    let items: HashMap<u64, _> = input.items.iter().map(|item| (item.id, item)).collect();
    let mut given: HashMap<u64, Decision> = HashMap::new();
    for (index, decision) in decisions {
        let place = path.index(index);
        let id = decision.id;
        let Some(item) = items.get(&id) else {
            reader.note(&place, Rule::ItemExists { id }, None);
            continue;
        };
        if !item.options.iter().any(|option| option.value == decision.chosen) {
            let rule = Rule::OptionExists { id, chosen: decision.chosen.clone() };
            reader.note(&place, rule, None);
        }
        let note = decision.note.filter(|note| !is_blank(note));
        if given.insert(id, Decision { note, ..decision }).is_some() {
            reader.note(&place, Rule::AnsweredOnce { id }, None);
        }
    }
    let mut ordered = Vec::with_capacity(input.items.len());
    let mut open = Vec::new();
    for item in &input.items {
        match given.remove(&item.id) {
            Some(decision) => ordered.push(decision),
            None => open.push(item.id),
        }
    }
    if !open.is_empty() {
        reader.note(path, Rule::EveryItemAnswered { ids: open }, None);
    }
    Some(DecideOutput { decisions: ordered })
}
