//! Answers, and whether they fit the questions.

use crate::path::Place;
use crate::read::{Reader, optional};
use crate::{
    Attachment, Attachments, Chosen, DecideInput, DecideItem, DecideOutput, Decision, InputError, ItemKind,
    MAX_ATTACHED, Problem, Remainder, Returned, Rule, SyntaxError, is_blank, strict,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What the person has given for one item so far.
///
/// The page names an option by its position, not by its value: a position survives HTML and form encoding
/// unchanged, whatever characters the value is made of. The position after the last option means the person's own words,
/// where they are allowed. Where files are asked for, position 0 means those that are attached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The item.
    pub id: u64,
    /// The chosen options, counted from 0; empty while nothing is chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<u32>,
    /// The answer in the person's own words as typed, whether or not it is chosen; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other: String,
    /// The note as typed; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Answer {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.options.is_empty() && self.other.is_empty() && self.note.is_empty()
    }

    /// Returns the positions chosen for `item`. Text written without choosing an option counts as the answer. An item that takes
    /// only text has no option to choose: without text, nothing is chosen.
    pub fn choices(&self, item: &DecideItem) -> Cow<'_, [u32]> {
        match item.other_position() {
            Some(other) if self.options.is_empty() && !is_blank(&self.other) => Cow::Owned(vec![other]),
            Some(other)
                if item.kind == ItemKind::Text && self.options == [other] && is_blank(&self.other) =>
            {
                Cow::Borrowed(&[])
            }
            _ => Cow::Borrowed(&self.options),
        }
    }

    /// Whether `item` needs an answer and this is none, or one of too few or too many options.
    pub fn leaves_open(&self, item: &DecideItem) -> bool {
        let count = self.choices(item).len();
        let (least, most) = item.bounds();
        if count == 0 { item.needs_choice() } else { !(least..=most).contains(&count) }
    }

    /// This answer as a decision. An option that is not offered is named by its position, and refused later. White space
    /// around what a person wrote is a slip of the keyboard, so it is left out.
    fn decision(&self, item: &DecideItem, attached: &Attachments) -> Decision {
        let other = item.other_position();
        let mut files = (item.kind == ItemKind::Files).then_some(0);
        let note = Some(self.note.trim().to_owned());
        let mut decision = Decision { id: self.id, note, ..Decision::default() };
        let mut values = Vec::new();
        for position in self.choices(item).iter().copied() {
            if Some(position) == other && decision.other.is_none() {
                decision.other = Some(self.other.trim().to_owned());
                continue;
            }
            if Some(position) == files {
                // Once, as any other.
                files = None;
                decision.files = attached.get(&item.id).cloned().unwrap_or_default();
                continue;
            }
            let option = usize::try_from(position).ok().and_then(|position| item.options.get(position));
            values.push(option.map_or_else(|| format!("#{position}"), |option| option.value.clone()));
        }
        decision.chosen = match values.len() {
            0 if decision.other.is_none() && !item.required => Chosen::None,
            _ if item.multiple => Chosen::Several(values),
            0 => Chosen::None,
            1 => Chosen::One(values.remove(0)),
            _ => Chosen::Several(values),
        };
        decision
    }
}

/// Everything the person has given so far: a draft while it is incomplete, a submission when it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSheet {
    /// At most one per item; items without an answer may be missing.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What was said, as typed, for the case that the questions are sent back; `None` where nothing is known of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Returned>,
}

impl AnswerSheet {
    /// All that was written, in the order of the items.
    pub fn texts(&self) -> Vec<String> {
        let answers = self.answers.iter().flat_map(|answer| [&answer.other, &answer.note]);
        let returned = self.returned.iter().map(|returned| &returned.message);
        answers.chain(returned).filter(|text| !is_blank(text)).cloned().collect()
    }

    /// The same without the choice of words where words are all there is and none are written: the page sends it anyway,
    /// and it says nothing.
    #[must_use]
    pub fn without_empty_words(&self, input: &DecideInput) -> Cow<'_, Self> {
        let texts: HashMap<u64, &DecideItem> = input
            .items
            .iter()
            .filter(|item| item.kind == ItemKind::Text)
            .map(|item| (item.id, item))
            .collect();
        let is_empty = |answer: &Answer| {
            !answer.options.is_empty()
                && texts.get(&answer.id).is_some_and(|item| answer.choices(item).is_empty())
        };
        if !self.answers.iter().any(is_empty) {
            return Cow::Borrowed(self);
        }
        let mut sheet = self.clone();
        sheet.answers.iter_mut().filter(|answer| is_empty(answer)).for_each(|answer| answer.options.clear());
        Cow::Owned(sheet)
    }

    /// The answer for one item, if any was given.
    pub fn get(&self, id: u64) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.id == id)
    }

    /// The items of `input` that need an answer and have none, in their order. One with too few or too many options
    /// chosen counts as well.
    pub fn open_items(&self, input: &DecideInput) -> Vec<u64> {
        let answers: HashMap<u64, &Answer> = self.answers.iter().map(|answer| (answer.id, answer)).collect();
        let is_open = |item: &&DecideItem| match answers.get(&item.id) {
            Some(answer) => answer.leaves_open(item),
            None => item.needs_choice(),
        };
        input.items.iter().filter(is_open).map(|item| item.id).collect()
    }

    /// Chooses the recommended option for every item that has one and no choice yet. What the person chose stays.
    pub fn take_recommendations(&mut self, input: &DecideInput) {
        for item in &input.items {
            let Some(recommended) = item.recommended() else { continue };
            match self.answers.iter_mut().find(|answer| answer.id == item.id) {
                Some(answer) if answer.choices(item).is_empty() => answer.options.push(recommended),
                Some(_) => {}
                None => {
                    let options = vec![recommended];
                    self.answers.push(Answer { id: item.id, options, ..Answer::default() });
                }
            }
        }
    }

    /// The sheet as the documented output, or what is wrong with it. `attached` are the files that are there.
    pub fn decide(&self, input: &DecideInput, attached: &Attachments) -> Result<DecideOutput, Vec<Problem>> {
        let items: HashMap<u64, _> = input.items.iter().map(|item| (item.id, item)).collect();
        let is_part = input.partial && !self.open_items(input).is_empty();
        let mut reader = Reader::default();
        let mut decisions = Vec::new();
        for (index, answer) in self.answers.iter().enumerate() {
            let decision = match items.get(&answer.id) {
                // For later, with whatever is filled in.
                Some(item) if is_part && (answer.leaves_open(item) || answer.choices(item).is_empty()) => {
                    continue;
                }
                Some(item) if !answer.choices(item).is_empty() || !item.needs_choice() => {
                    answer.decision(item, attached)
                }
                None if !answer.options.is_empty() => Decision { id: answer.id, ..Decision::default() },
                // Not answered; at most with an unsolicited note.
                _ => continue,
            };
            decisions.push((index, decision));
        }
        let output = fit(&mut reader, &Place::Root.key("answers"), input, decisions);
        finish(reader, output)
    }
}

/// Reads the documented submission `{"decisions":[{"id","chosen","note"?}]}` and checks that it answers `input`: every item once,
/// with an option that was offered. Where partial answers are allowed, items that are not mentioned stay open.
///
/// The files of an answer are those in `attached`. A submission that names them as well must name the same files.
///
/// # Errors
///
/// The problems of the text. A JSON syntax error is always in the parser's own words.
pub fn parse_output(
    text: &str,
    input: &DecideInput,
    attached: &Attachments,
) -> Result<DecideOutput, InputError> {
    let value =
        strict::parse(text).map_err(|error| InputError::Syntax(SyntaxError::Json(error.to_string())))?;
    let mut reader = Reader::default();
    let output = read_decisions(&mut reader, &value).and_then(|decisions| {
        // A sheet with malformed entries would only be reported as incomplete on top.
        let path = Place::Root.key("decisions");
        if !reader.is_clean() {
            return None;
        }
        let decisions = with_files(&mut reader, &path, input, decisions, attached);
        fit(&mut reader, &path, input, decisions)
    });
    finish(reader, output).map_err(InputError::Invalid)
}

fn finish(reader: Reader, output: Option<DecideOutput>) -> Result<DecideOutput, Vec<Problem>> {
    let problems = reader.into_problems();
    match output {
        Some(output) if problems.is_empty() => Ok(output),
        _ => Err(problems),
    }
}

/// A decision as it was sent, and the files that were named in it.
type SentDecision = (Decision, Option<Vec<Attachment>>);

fn read_decisions(reader: &mut Reader, value: &Value) -> Option<Vec<(usize, SentDecision)>> {
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

fn read_decision(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<SentDecision> {
    let object = reader.object(path, Some(value), Rule::IsObject)?;
    let id = reader.positive(&path.key("id"), object.get("id"));
    let other = optional(object, "other").and_then(|value| reader.string(&path.key("other"), Some(value)));
    let chosen = read_chosen(reader, &path.key("chosen"), object.get("chosen"));
    let files = optional(object, "files").and_then(|value| read_files(reader, &path.key("files"), value));
    let note = optional(object, "note").and_then(|value| reader.string(&path.key("note"), Some(value)));
    Some((Decision { id: id?, chosen: chosen?, other, files: Vec::new(), note }, files))
}

fn read_files(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Vec<Attachment>> {
    let Some(array) = value.as_array() else {
        reader.note(path, Rule::IsFilledArray, Some(value));
        return None;
    };
    let most = usize::try_from(MAX_ATTACHED).unwrap_or(usize::MAX);
    let mut files = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let path = path.index(index);
        let Some(object) = reader.object(&path, Some(value), Rule::IsObject) else { continue };
        let name = reader.written(&path.key("name"), object.get("name"));
        let sha256 = reader.written(&path.key("sha256"), object.get("sha256"));
        let size = reader.between(&path.key("size"), object.get("size").unwrap_or(&Value::Null), 0, most);
        if let (Some(name), Some(sha256), Some(size)) = (name, sha256, size) {
            files.push(Attachment { name, sha256, size: u64::try_from(size).unwrap_or(u64::MAX) });
        }
    }
    Some(files)
}

/// The decisions at `path`, each with the files that are attached to its item.
fn with_files(
    reader: &mut Reader,
    path: &Place<'_>,
    input: &DecideInput,
    decisions: Vec<(usize, SentDecision)>,
    attached: &Attachments,
) -> Vec<(usize, Decision)> {
    let kinds: HashMap<u64, ItemKind> = input.items.iter().map(|item| (item.id, item.kind)).collect();
    let sorted = |mut files: Vec<Attachment>| {
        files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        files
    };
    let mut given = Vec::with_capacity(decisions.len());
    for (index, (mut decision, named)) in decisions {
        let id = decision.id;
        let place = path.index(index);
        let kind = kinds.get(&id);
        if kind == Some(&ItemKind::Files) {
            decision.files = attached.get(&id).cloned().unwrap_or_default();
            if named.is_some_and(|named| sorted(named) != sorted(decision.files.clone())) {
                reader.note(&place.key("files"), Rule::FilesAttached { id }, None);
            }
        } else if named.is_some() && kind.is_some() {
            reader.note(&place.key("files"), Rule::FilesAsked { id }, None);
        }
        given.push((index, decision));
    }
    given
}

fn read_chosen(reader: &mut Reader, path: &Place<'_>, value: Option<&Value>) -> Option<Chosen> {
    match value {
        None | Some(Value::Null) => Some(Chosen::None),
        Some(Value::Array(array)) => {
            let mut values = Vec::with_capacity(array.len());
            for (index, value) in array.iter().enumerate() {
                values.extend(reader.written(&path.index(index), Some(value)));
            }
            Some(Chosen::Several(values))
        }
        Some(_) => reader.written(path, value).map(Chosen::One),
    }
}

/// Brings the decisions at `path` into the order of the items; notes without content are dropped. What may be left open
/// and was not mentioned is left open.
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
        let decision = fit_item(reader, &place, item, decision);
        if given.insert(id, decision).is_some() {
            reader.note(&place, Rule::AnsweredOnce { id }, None);
        }
    }
    let mentioned: HashSet<u64> = given.keys().copied().collect();
    let mut ordered = Vec::with_capacity(input.items.len());
    let mut open = Vec::new();
    for item in &input.items {
        match given.remove(&item.id) {
            Some(decision) => ordered.push(decision),
            None if item.needs_choice() => open.push(item.id),
            None => {
                let unmentioned = Answer { id: item.id, ..Answer::default() };
                ordered.push(unmentioned.decision(item, &Attachments::new()).without_blanks());
            }
        }
    }
    if open.is_empty() {
        return Some(DecideOutput::complete(ordered));
    }
    if input.partial && !mentioned.is_empty() {
        // What may be left open and was not mentioned is left for later as well.
        ordered.retain(|decision| mentioned.contains(&decision.id));
        let items = input.items.iter().map(|item| item.id).filter(|id| !mentioned.contains(id)).collect();
        return Some(DecideOutput {
            decisions: ordered,
            open: Some(Box::new(Remainder { session_id: None, items })),
        });
    }
    reader.note(path, Rule::EveryItemAnswered { ids: open }, None);
    Some(DecideOutput::complete(ordered))
}

/// Whether one decision answers its item; the same with its values in the order of the options.
fn fit_item(reader: &mut Reader, place: &Place<'_>, item: &DecideItem, decision: Decision) -> Decision {
    let id = item.id;
    if item.kind == ItemKind::Text {
        let is_answered = decision.other.as_ref().is_some_and(|other| !is_blank(other));
        let is_empty = decision.other.is_none() && !item.needs_choice();
        // The person's own words are not one of several answers here, so that none of the rules below tells it well.
        if !(is_answered || is_empty) || !decision.chosen.values().is_empty() {
            reader.note(place, Rule::AnsweredInWords { id }, None);
        }
        return Decision { chosen: Chosen::None, ..decision.without_blanks() };
    }
    if item.kind == ItemKind::Files {
        if decision.other.is_some() || !decision.chosen.values().is_empty() {
            reader.note(place, Rule::AnsweredByFiles { id }, None);
        }
        let count = decision.files.len();
        let (least, most) = item.file_bounds();
        let is_empty = count == 0 && !item.needs_choice();
        if !is_empty && !(least..=most).contains(&count) {
            reader.note(place, Rule::FileCount { id, least, most, count }, None);
        }
        return Decision { chosen: Chosen::None, ..decision.without_blanks() };
    }
    if let Some(other) = &decision.other {
        if !item.takes_words() {
            reader.note(place, Rule::OtherOffered { id }, None);
        } else if is_blank(other) {
            reader.note(place, Rule::OtherWritten { id }, None);
        }
    }
    let values = decision.chosen.values();
    for (index, value) in values.iter().enumerate() {
        if !item.options.iter().any(|option| option.value == *value) {
            reader.note(place, Rule::OptionExists { id, chosen: value.clone() }, None);
        } else if values[..index].contains(value) {
            reader.note(place, Rule::ChosenOnce { id, chosen: value.clone() }, None);
        }
    }
    let count = values.len() + usize::from(decision.other.is_some());
    let (least, most) = item.bounds();
    let chosen = place.key("chosen");
    match &decision.chosen {
        Chosen::One(value) if item.multiple => {
            reader.note(&chosen, Rule::IsStringArray, Some(&Value::from(value.as_str())));
        }
        Chosen::Several(values) if !item.multiple && values.len() < 2 => {
            reader.note(&chosen, Rule::IsString, Some(&Value::from(values.as_slice())));
        }
        // Left open, which only some items may be.
        Chosen::None if count == 0 && item.needs_choice() => {
            let rule = if item.multiple { Rule::IsStringArray } else { Rule::IsString };
            reader.note(&chosen, rule, None);
        }
        _ if count == 0 && !item.needs_choice() => {}
        _ if !(least..=most).contains(&count) => {
            reader.note(place, Rule::ChoiceCount { id, least, most, count }, None);
        }
        _ => {}
    }
    let mut decision = decision.without_blanks();
    match &mut decision.chosen {
        // Several, though none of them: it was answered, by other words or by leaving all out.
        chosen if item.multiple && chosen.values().is_empty() && (count > 0 || item.required) => {
            *chosen = Chosen::Several(Vec::new());
        }
        chosen if count == 0 => *chosen = Chosen::None,
        Chosen::Several(values) => {
            values.sort_by_key(|value| item.options.iter().position(|option| option.value == *value));
        }
        Chosen::None | Chosen::One(_) => {}
    }
    decision
}

impl Decision {
    fn without_blanks(mut self) -> Self {
        self.note = self.note.filter(|note| !is_blank(note));
        self
    }
}
