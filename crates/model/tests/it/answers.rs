//! What a person gives: over the wire and back, completed by recommendations, accepted when it is complete.

use crate::support::{attached, config, document};
use model::form::{self, Action, Post};
use model::{
    Answer, AnswerSheet, Attachments, Chosen, DecideInput, DecideItem, ItemKind, Questions, Returned, Rule,
    is_blank, parse_output,
};
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::HashSet;

/// What is typed: all of Unicode but NUL, which HTML does not let through, and often what an encoding may trip over.
fn typed() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::sample::select(vec!['\r', '\n', '&', '=', '+', '%', ' ', ';', '#', '\u{feff}', '中', '👍']),
        any::<char>(),
    ];
    let character = character.prop_filter("HTML allows all others", |c| *c != '\0');
    vec(character, 0..20).prop_map(|characters| characters.into_iter().collect())
}

/// A sheet with at most one answer for each of some items.
fn sheet() -> impl Strategy<Value = AnswerSheet> {
    let id = prop_oneof![1_u64..100, any::<u64>()];
    let options = vec(prop_oneof![0_u32..4, any::<u32>()], 0..3);
    hash_map(id, (options, typed(), typed()), 0..6).prop_map(|answers| {
        let answers =
            answers.into_iter().map(|(id, (options, other, note))| Answer { id, options, other, note });
        AnswerSheet { answers: answers.collect(), ..AnswerSheet::default() }
    })
}

/// Each line break as `to`.
fn line_breaks(text: &str, to: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', to)
}

/// The body a browser makes of the form: a radio button or check box only when it is chosen, a text area always, every
/// line break as CR LF.
fn posted(session: &str, button: &str, sheet: &AnswerSheet) -> String {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.append_pair(form::SESSION, session);
    for answer in &sheet.answers {
        for option in &answer.options {
            body.append_pair(&form::choice_field(answer.id), &option.to_string());
        }
        body.append_pair(&form::other_field(answer.id), &line_breaks(&answer.other, "\r\n"));
        body.append_pair(&form::note_field(answer.id), &line_breaks(&answer.note, "\r\n"));
    }
    body.append_pair(form::ACTION, button);
    body.finish()
}

fn read(body: &str) -> Post {
    form::read(form_urlencoded::parse(body.as_bytes()))
}

/// How an item is answered.
#[derive(Debug, Clone, Copy)]
enum AnswerKind {
    Chosen,
    Absent,
    NoteOnly,
    OtherOnly,
    Random,
    NoSuchOption,
    Twice,
}

/// Questions, and answers that fit them more or less.
fn asked_and_answered() -> impl Strategy<Value = (Questions, AnswerSheet)> {
    let way = prop_oneof![
        12 => Just(AnswerKind::Chosen),
        1 => Just(AnswerKind::Absent),
        1 => Just(AnswerKind::NoteOnly),
        1 => Just(AnswerKind::OtherOnly),
        2 => Just(AnswerKind::Random),
        1 => Just(AnswerKind::NoSuchOption),
        1 => Just(AnswerKind::Twice),
    ];
    let random = vec(0_u32..6, 0..4);
    let answers = vec((way, any::<prop::sample::Index>(), random, typed(), typed()), 4);
    let stray = prop::option::weighted(0.2, vec(0_u32..2, 0..2));
    (document(), answers, stray, any::<bool>()).prop_map(|(document, answers, stray, reverse)| {
        let questions = Questions::from_value(document).unwrap();
        let mut given = Vec::new();
        for (item, (way, index, random, mut other, note)) in questions.input().items.iter().zip(answers) {
            let choices = u32::try_from(item.choices()).unwrap();
            let first = u32::try_from(index.index(item.choices())).unwrap();
            let wanted = u32::try_from(item.bounds().0.max(1)).unwrap();
            let chosen: Vec<u32> = (0..wanted).map(|step| (first + step) % choices).collect();
            if matches!(way, AnswerKind::Chosen | AnswerKind::OtherOnly) && item.takes_words() {
                other.push('x');
            }
            let answer = |options: &[u32]| Answer {
                id: item.id,
                options: options.to_vec(),
                other: other.clone(),
                note: note.clone(),
            };
            match way {
                AnswerKind::Chosen => given.push(answer(&chosen)),
                AnswerKind::Absent => {}
                AnswerKind::NoteOnly => given.push(Answer { other: String::new(), ..answer(&[]) }),
                AnswerKind::OtherOnly => given.push(answer(&[])),
                AnswerKind::Random => given.push(answer(&random)),
                AnswerKind::NoSuchOption => given.push(answer(&[choices])),
                AnswerKind::Twice => given.extend([answer(&chosen), answer(&[0])]),
            }
        }
        if let Some(options) = stray {
            let known = |id: &u64| questions.input().items.iter().any(|item| item.id == *id);
            let id = (1..).find(|id| !known(id)).unwrap();
            given.push(Answer { id, options, ..Answer::default() });
        }
        if reverse {
            given.reverse();
        }
        (questions, AnswerSheet { answers: given, ..AnswerSheet::default() })
    })
}

/// What an answer says about its item, the words of one's own included.
fn choices(answer: &Answer, item: &DecideItem) -> Vec<u32> {
    let words = item.takes_words() && !is_blank(&answer.other);
    let position = u32::try_from(item.options.len()).unwrap();
    if answer.options.is_empty() && words {
        return vec![position];
    }
    // A text item has no option to choose: the text is there or not.
    if item.kind == ItemKind::Text && !words && answer.options == [position] {
        return Vec::new();
    }
    answer.options.clone()
}

/// The answers that say something about an item; about one that needs nothing, nothing is something as well.
fn answers<'s>(sheet: &'s AnswerSheet, item: &'s DecideItem) -> Vec<&'s Answer> {
    let says = |answer: &&Answer| {
        answer.id == item.id && (!item.needs_choice() || !choices(answer, item).is_empty())
    };
    sheet.answers.iter().filter(says).collect()
}

/// As many choices as asked for, each offered and made once, with words where one's own words are chosen.
fn is_fitting(answer: &Answer, item: &DecideItem) -> bool {
    let choices = choices(answer, item);
    let offered = |choice: &u32| match usize::try_from(*choice).unwrap().cmp(&item.options.len()) {
        Ordering::Less => true,
        Ordering::Equal if item.kind == ItemKind::Files => true,
        Ordering::Equal => item.takes_words() && !is_blank(&answer.other),
        Ordering::Greater => false,
    };
    let distinct: HashSet<_> = choices.iter().collect();
    let (least, most) = item.bounds();
    let enough = (least..=most).contains(&choices.len()) || choices.is_empty() && !item.needs_choice();
    enough && distinct.len() == choices.len() && choices.iter().all(offered)
}

/// One fitting answer for every item that needs one, and none for what was not asked.
fn is_complete(sheet: &AnswerSheet, input: &DecideInput) -> bool {
    let every_item = input.items.iter().all(|item| match answers(sheet, item).as_slice() {
        [answer] => is_fitting(answer, item),
        [] => !item.needs_choice(),
        _ => false,
    });
    let asked =
        |answer: &Answer| answer.options.is_empty() || input.items.iter().any(|item| item.id == answer.id);
    every_item && sheet.answers.iter().all(asked)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_a_browser_posts_is_what_is_read(
        session in typed(),
        sheet in sheet(),
        message in typed(),
        items in proptest::collection::vec(any::<u64>(), 0..4),
    ) {
        let sent = Post {
            session: session.clone(),
            action: Action::Submit,
            is_scripted: false,
            sheet: AnswerSheet {
                answers: sheet
                    .answers
                    .iter()
                    .map(|answer| Answer {
                        other: line_breaks(&answer.other, "\n"),
                        note: line_breaks(&answer.note, "\n"),
                        ..answer.clone()
                    })
                    .collect(),
                returned: Some(Returned { message: line_breaks(&message, "\n"), items: items.clone() }),
            },
        };
        let mut body = posted(&session, form::SUBMIT, &sheet);
        let mut said = form_urlencoded::Serializer::new(String::new());
        said.append_pair(form::RETURN_MESSAGE, &line_breaks(&message, "\r\n"));
        for item in &items {
            said.append_pair(form::RETURN_ITEM, &item.to_string());
        }
        body = format!("{body}&{}", said.finish());
        prop_assert_eq!(read(&body), sent.clone());
        for (button, action) in
            [
                (form::RECOMMEND, Action::Recommend),
                (form::RETURN, Action::Return),
                (form::SHOW, Action::Show),
                (form::REVIEW, Action::Review),
                (form::EXTEND, Action::Extend),
                (form::TAKE_BACK, Action::TakeBack),
            ]
        {
            let body = body.replace("action=submit", &format!("action={button}"));
            prop_assert_eq!(read(&body), Post { action, ..sent.clone() });
        }
    }

    #[test]
    fn what_is_sent_back_says_why_and_names_items_that_are_there(
        (questions, _) in asked_and_answered(),
        message in typed(),
        items in proptest::collection::vec(0_u64..9, 0..6),
    ) {
        let input = questions.input();
        let said = Returned { message: message.clone(), items: items.clone() };
        match said.checked(input) {
            None => prop_assert!(is_blank(&message)),
            Some(checked) => {
                prop_assert_eq!(checked.message, message.trim());
                let named: Vec<u64> =
                    input.items.iter().map(|item| item.id).filter(|id| items.contains(id)).collect();
                prop_assert_eq!(checked.items, named);
            }
        }
    }

    #[test]
    fn exactly_complete_sheets_are_accepted((questions, sheet) in asked_and_answered()) {
        let input = questions.input();
        let unanswered = |item: &&DecideItem| item.needs_choice() && answers(&sheet, item).is_empty();
        let open: Vec<u64> = input.items.iter().filter(unanswered).map(|item| item.id).collect();
        for id in &open {
            prop_assert!(sheet.open_items(input).contains(id));
        }
        let mut files = attached(input);
        let decided = sheet.decide(input, &files);
        prop_assert_eq!(decided.is_ok(), is_complete(&sheet, input), "{:?}", decided);
        let output = match decided {
            Ok(output) => output,
            Err(problems) => {
                let told: Vec<u64> = problems
                    .iter()
                    .filter_map(|problem| match &problem.rule {
                        Rule::EveryItemAnswered { ids } => Some(ids.clone()),
                        _ => None,
                    })
                    .flatten()
                    .collect();
                prop_assert!(!problems.is_empty());
                prop_assert_eq!(told, open);
                return Ok(());
            }
        };
        prop_assert_eq!(output.decisions.len(), input.items.len());
        for (decision, item) in output.decisions.iter().zip(&input.items) {
            prop_assert_eq!(decision.id, item.id);
            let empty = Answer { id: item.id, ..Answer::default() };
            let answer = answers(&sheet, item).first().copied().unwrap_or(&empty);
            let mut choices = choices(answer, item);
            choices.sort_unstable();
            let of = |choice: &u32| item.options.get(usize::try_from(*choice).unwrap());
            let values: Vec<_> = choices.iter().filter_map(of).map(|option| option.value.clone()).collect();
            prop_assert_eq!(decision.chosen.values(), values);
            let is_files = item.kind == ItemKind::Files;
            let other = choices.iter().any(|choice| of(choice).is_none() && !is_files);
            let other = other.then(|| answer.other.trim().to_owned());
            let given = if is_files && !choices.is_empty() { &*files[&item.id] } else { &[] };
            prop_assert_eq!(&decision.files, given);
            prop_assert_eq!(&decision.other, &other);
            // The kind of the answer tells whether several could be chosen, and whether it is one.
            match &decision.chosen {
                Chosen::One(_) => prop_assert!(!item.multiple),
                Chosen::Several(_) => prop_assert!(item.multiple),
                Chosen::None => {
                    let may_be = choices.is_empty() && !item.required || other.is_some() || is_files;
                    prop_assert!(may_be);
                }
            }
            let note = Some(answer.note.trim().to_owned()).filter(|note| !is_blank(note));
            prop_assert_eq!(&decision.note, &note);
        }
        prop_assert_eq!(sheet.open_items(input), Vec::<u64>::new());
        // The same, said as the documented JSON.
        let json = serde_json::to_string(&output).unwrap();
        files.retain(|id, _| output.decisions.iter().any(|said| said.id == *id && !said.files.is_empty()));
        prop_assert_eq!(parse_output(&json, input, &files), Ok(output));
    }

    #[test]
    fn recommendations_fill_what_is_open_and_nothing_else(
        (questions, sheet) in asked_and_answered(),
        drop in 0_usize..5,
    ) {
        let input = questions.input();
        // One answer for each item at most, as a page gives them.
        let mut before = AnswerSheet::default();
        for answer in sheet.answers.into_iter().skip(drop) {
            if before.get(answer.id).is_none() {
                before.answers.push(answer);
            }
        }
        let mut after = before.clone();
        after.take_recommendations(input);
        for answer in &before.answers {
            let same = after.get(answer.id).unwrap();
            prop_assert_eq!(&same.note, &answer.note);
            prop_assert_eq!(&same.other, &answer.other);
            if !answer.options.is_empty() {
                prop_assert_eq!(&same.options, &answer.options);
            }
        }
        for item in &input.items {
            if before.get(item.id).is_none_or(|answer| choices(answer, item).is_empty()) {
                let chosen = after.get(item.id).and_then(|answer| answer.options.first());
                // The field for words of a text is no option.
                let option = chosen.and_then(|option| item.options.get(usize::try_from(*option).unwrap()));
                let value = option.map(|option| &option.value);
                prop_assert_eq!(value, item.recommend.as_ref());
            }
        }
        let asked = |id: u64| input.items.iter().any(|item| item.id == id);
        for answer in &after.answers {
            prop_assert!(asked(answer.id) || before.get(answer.id) == Some(answer));
            prop_assert_eq!(after.answers.iter().filter(|other| other.id == answer.id).count(), 1);
        }
        let mut again = after.clone();
        again.take_recommendations(input);
        prop_assert_eq!(again, after);
    }
}

#[test]
fn white_space_around_what_a_person_wrote_is_left_out() {
    let asked = |members: &str| {
        let text = format!(
            r#"{{"task":"t","source":"s","items":[{{"id":1,"title":"q","options":[{{"value":"a","label":"A"}},{{"value":"b","label":"B"}}]{members}}}]}}"#
        );
        Questions::parse(text.as_bytes()).unwrap()
    };
    let answer = Answer { id: 1, note: " \n a\n  b \u{3000}\n".to_owned(), ..Answer::default() };
    let decide = |members: &str, answer: Answer| {
        let sheet = AnswerSheet { answers: vec![answer], returned: None };
        sheet.decide(asked(members).input(), &Attachments::new()).unwrap().decisions.remove(0)
    };
    let decision = decide("", Answer { options: vec![1], ..answer.clone() });
    assert_eq!(decision.note.as_deref(), Some("a\n  b"));
    let decision = decide(r#","allow_other":true"#, Answer { other: "\tc d\r\n".to_owned(), ..answer });
    assert_eq!((decision.other.as_deref(), decision.note.as_deref()), (Some("c d"), Some("a\n  b")));
    // What a script sends is what it means.
    let text = r#"{"decisions":[{"id":1,"chosen":"a","note":" n "}]}"#;
    let output = model::parse_output(text, asked("").input(), &Attachments::new()).unwrap();
    assert_eq!(output.decisions[0].note.as_deref(), Some(" n "));
}

#[test]
fn a_post_to_the_letter() {
    let answer = |id, options: &[u32], note: &str| Answer {
        id,
        options: options.to_vec(),
        other: String::new(),
        note: note.to_owned(),
    };
    for (body, expected) in [
        (
            "session=s&item-1=0&note-1=a%0D%0Ab%26%3D%2B%25+%E4%B8%AD&note-2=",
            vec![answer(1, &[0], "a\nb&=+% 中"), answer(2, &[], "")],
        ),
        ("note-7=x&item-7=3", vec![answer(7, &[3], "x")]),
        ("item-7=3&item-7=0", vec![answer(7, &[3, 0], "")]),
        ("other-7=a%0D%0Ab", vec![Answer { other: "a\nb".to_owned(), ..answer(7, &[], "") }]),
        ("note-1=a%0Db%0D%0D%0Ac%0A%0Dd", vec![answer(1, &[], "a\nb\n\nc\n\nd")]),
        // What no radio button has as its value chooses nothing.
        ("item-1=&item-2=x&item-3=-1&item-4=4294967296", [1, 2, 3, 4].map(|id| answer(id, &[], "")).to_vec()),
        // Fields of no item.
        ("item-=1&item-x=1&item--1=1&item-18446744073709551616=1&Item-1=1&note=x&=&&x", vec![]),
    ] {
        assert_eq!(read(body).sheet.answers, expected, "{body}");
    }
    assert_eq!(read("action=submit").action, Action::Submit);
    assert_eq!(read("action=recommend").action, Action::Recommend);
    assert_eq!(read("action=else").action, Action::Submit);
    assert_eq!(read("").session, "");
}
