//! Keys, and what they lead to.

use super::{Effect, Field, Form, Key, Mode, Notice};
use model::{Answer, AnswerSheet, Chosen, DecideInput, Questions};
use serde_json::{Value, json};

fn questions(items: &Value) -> Questions {
    let options =
        json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "c", "label": "C"}]);
    let mut items = items.clone();
    for (index, item) in items.as_array_mut().unwrap().iter_mut().enumerate() {
        item["id"] = (index + 1).into();
        item["title"] = format!("item {}", index + 1).into();
        item["options"] = options.clone();
    }
    Questions::parse(json!({"task": "t", "source": "s", "items": items}).to_string().as_bytes()).unwrap()
}

/// Three ordinary items; the second has a recommendation.
fn three() -> Questions {
    questions(&json!([{}, {"recommend": "b"}, {}]))
}

fn form(input: &DecideInput) -> Form<'_> {
    Form::new(input, &AnswerSheet::default())
}

/// Types characters; `⏎` is Enter, `⎋` Escape, `↓ ↑ → ←` the arrows.
fn press(form: &mut Form<'_>, keys: &str) -> Effect {
    let mut effect = Effect::None;
    for c in keys.chars() {
        assert_eq!(effect, Effect::None, "before {c:?} of {keys:?}");
        effect = form.key(match c {
            '⏎' => Key::Enter,
            '⎋' => Key::Escape,
            '↓' => Key::Down,
            '↑' => Key::Up,
            '→' => Key::Right,
            '←' => Key::Left,
            '⇥' => Key::Tab,
            c => Key::Char(c),
        });
    }
    effect
}

/// What is chosen of each item.
fn chosen(form: &Form<'_>) -> Vec<Vec<u32>> {
    (0..form.input().items.len()).map(|position| form.answer(position).options.clone()).collect()
}

#[test]
fn arrows_and_digits_choose_and_enter_goes_on() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "↓ ");
    assert_eq!((form.row(), chosen(&form)), (1, vec![vec![1], vec![], vec![]]));
    press(&mut form, "3");
    assert_eq!((form.row(), chosen(&form)), (2, vec![vec![2], vec![], vec![]]));
    press(&mut form, "9");
    assert_eq!(chosen(&form)[0], [2], "there is no ninth option");
    press(&mut form, "⏎r⏎↓↑1⏎");
    assert_eq!(chosen(&form), [vec![2], vec![1], vec![0]]);
    assert_eq!(form.mode(), Mode::Review { row: 3 });
    match press(&mut form, "⏎") {
        Effect::Submit(output) => {
            let chosen: Vec<_> = output.decisions.iter().map(|decision| decision.chosen.clone()).collect();
            assert_eq!(chosen, ["c", "b", "a"].map(|value| Chosen::One(value.to_owned())));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_is_chosen_that_the_person_did_not_choose() {
    let questions = three();
    let mut form = form(questions.input());
    // Enter alone neither chooses what the cursor is on nor goes past it.
    press(&mut form, "↓⏎⏎");
    assert_eq!((form.position(), form.notice()), (0, Some(&Notice::NothingChosen)));
    assert_eq!(chosen(&form)[0], [0_u32; 0]);
    press(&mut form, "→→→");
    assert_eq!(form.mode(), Mode::Review { row: 0 }, "the first open one");
    form.key(Key::End);
    assert_eq!(press(&mut form, "⏎"), Effect::None);
    assert_eq!(form.notice(), Some(&Notice::StillOpen { count: 3 }));
    assert!(!form.has_changed());
    // A paste outside of a text chooses nothing.
    press(&mut form, "⏎");
    form.key(Key::Paste("123 r".to_owned()));
    assert_eq!(form.progress(), (0, 3));
}

#[test]
fn all_recommendations_are_taken_and_shown_before_anything_is_sent() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "1a");
    assert_eq!(chosen(&form), [vec![0], vec![1], vec![]]);
    assert_eq!(form.mode(), Mode::Review { row: 2 });
    assert_eq!(form.notice(), Some(&Notice::Taken { count: 1 }));
    press(&mut form, "a");
    assert_eq!(form.notice(), Some(&Notice::NothingRecommended));
}

#[test]
fn from_the_review_an_item_is_changed_and_left_again() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "1⏎1⏎1⏎↑↑⏎");
    assert_eq!((form.mode(), form.position()), (Mode::Item, 1));
    press(&mut form, "3⏎");
    assert_eq!((form.mode(), chosen(&form)[1].clone()), (Mode::Review { row: 3 }, vec![2]));
    press(&mut form, "←x");
    assert_eq!((form.position(), chosen(&form)[2].len()), (2, 0));
}

#[test]
fn notes_are_typed_and_never_discarded() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "n1q⏎b?⎋");
    assert_eq!(form.answer(0).note, "1q\nb?");
    assert_eq!(form.mode(), Mode::Item);
    press(&mut form, "nx");
    // Whatever interrupts, what stands there is kept.
    assert_eq!(form.key(Key::Control('c')), Effect::Interrupt);
    assert_eq!(form.answer(0).note, "1q\nb?x");
    assert!(form.has_changed());
}

#[test]
fn leaving_is_no_answer_and_keeps_everything() {
    let questions = three();
    for keys in ["2q", "2⎋", "2cq", "2c⎋"] {
        let mut form = form(questions.input());
        assert_eq!(press(&mut form, keys), Effect::Leave, "{keys}");
        assert_eq!(form.sheet().answers, [Answer { id: 1, options: vec![1], ..Answer::default() }]);
    }
}

#[test]
fn the_help_does_nothing_but_show_itself() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "?");
    assert!(form.help());
    press(&mut form, "q");
    assert!(!form.help());
    assert_eq!(form.progress(), (0, 3));
}

#[test]
fn the_questions_are_sent_back_with_a_reason() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "b⎋");
    assert_eq!(form.mode(), Mode::Item, "without a reason there is nothing to send");
    press(&mut form, "bwhat does it cost?⎋");
    assert_eq!(form.mode(), Mode::SendBack);
    press(&mut form, "⎋→b⎋⇥");
    match press(&mut form, "⏎") {
        Effect::SendBack(returned) => {
            assert_eq!((&*returned.message, &*returned.items), ("what does it cost?", &[2][..]));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn several_are_chosen_together_within_their_bounds() {
    let questions = questions(&json!([{"multiple": true, "min": 2, "max": 2, "recommend": "a"}]));
    let mut form = form(questions.input());
    press(&mut form, "3⏎");
    assert_eq!((form.mode(), form.notice()), (Mode::Item, Some(&Notice::Count { least: 2, most: 2 })));
    press(&mut form, "1");
    assert_eq!(chosen(&form)[0], [0, 2]);
    press(&mut form, "2");
    assert_eq!(
        (chosen(&form)[0].clone(), form.notice()),
        (vec![0, 2], Some(&Notice::Count { least: 2, most: 2 }))
    );
    press(&mut form, "32r");
    assert_eq!(chosen(&form)[0], [0, 1], "what is recommended stays chosen");
    press(&mut form, "⏎");
    assert!(matches!(press(&mut form, "⏎"), Effect::Submit(_)));
}

#[test]
fn an_answer_of_ones_own_is_written_where_it_may_be() {
    let questions = questions(&json!([{"allow_other": true}, {}]));
    let mut form = form(questions.input());
    press(&mut form, "4");
    assert_eq!(form.mode(), Mode::Write(Field::Other));
    press(&mut form, "⎋");
    assert_eq!(chosen(&form)[0], [0_u32; 0], "nothing is no answer");
    press(&mut form, "oD⎋");
    assert_eq!((chosen(&form)[0].clone(), form.progress()), (vec![3], (1, 2)));
    press(&mut form, "1");
    assert_eq!(
        (chosen(&form)[0].clone(), &*form.answer(0).other),
        (vec![0], "D"),
        "the words stay for another time"
    );
    press(&mut form, "o⎋⏎o");
    assert_eq!(form.mode(), Mode::Write(Field::Note), "what is typed next is meant for a field");
    press(&mut form, "1⎋1⏎");
    match press(&mut form, "⏎") {
        Effect::Submit(output) => {
            assert_eq!(output.decisions[0].other.as_deref(), Some("D"));
            assert_eq!(output.decisions[0].chosen, Chosen::None);
            assert_eq!(output.decisions[1].other, None);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_required_may_be_left_open() {
    let questions = questions(&json!([{"required": false}]));
    let mut form = form(questions.input());
    assert_eq!(form.mode(), Mode::Review { row: 1 }, "nothing is needed");
    press(&mut form, "↑⏎1x⏎");
    assert!(matches!(press(&mut form, "⏎"), Effect::Submit(_)));
}

#[test]
fn a_draft_is_gone_on_with_at_the_first_open_item() {
    let questions = three();
    let answer = |id, option| Answer { id, options: vec![option], ..Answer::default() };
    let draft = AnswerSheet { answers: vec![answer(1, 2), answer(99, 0)], ..AnswerSheet::default() };
    let form = Form::new(questions.input(), &draft);
    assert_eq!((form.position(), form.mode(), form.progress()), (1, Mode::Item, (1, 3)));
    let draft =
        AnswerSheet { answers: vec![answer(3, 2), answer(1, 2), answer(2, 0)], ..AnswerSheet::default() };
    assert_eq!(Form::new(questions.input(), &draft).mode(), Mode::Review { row: 3 });
}

#[test]
fn what_another_door_has_kept_is_not_overwritten() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "2⏎1x");
    let answer = |id, option| Answer { id, options: vec![option], ..Answer::default() };
    // The first was changed here, the second was cleared here, the third was not touched.
    let cleared = Answer { id: 2, ..Answer::default() };
    assert_eq!(form.changes().answers, [answer(1, 1), cleared]);
}

#[test]
fn keys_mean_what_they_mean_on_the_page() {
    let questions = three();
    let mut form = form(questions.input());
    press(&mut form, "j");
    assert_eq!((form.position(), form.row()), (1, 0), "the next question, not the next option");
    press(&mut form, "jk");
    assert_eq!(form.position(), 1);
    press(&mut form, "1d");
    assert_eq!((form.position(), chosen(&form)[1].clone()), (2, vec![]), "cleared, and on to the next");
    // There is always one question at a time.
    press(&mut form, "v");
    assert_eq!((form.mode(), form.position()), (Mode::Item, 2));
    press(&mut form, "c");
    assert_eq!(form.mode(), Mode::Review { row: 0 });
}

#[test]
fn the_whole_set_is_sent_back_or_the_current_item_named() {
    let questions = three();
    for (keys, items) in [
        ("ji why?⎋⏎", &[2][..]),
        ("jb why?⎋⏎", &[]),
        ("ji why?⎋⇥⏎", &[]),
        ("jb why?⎋⇥⏎", &[2]),
        ("cji why?⎋⏎", &[2]),
        ("cjb why?⎋⏎", &[]),
        // The other key asks anew for whom it is.
        ("jb why?⎋⎋i⎋⏎", &[2]),
    ] {
        let mut form = form(questions.input());
        match press(&mut form, keys) {
            Effect::SendBack(returned) => {
                assert_eq!((&*returned.message, &*returned.items), ("why?", items), "{keys}");
            }
            other => panic!("{keys}: {other:?}"),
        }
    }
}

#[test]
fn progress_counts_what_needs_an_answer_as_the_page_does() {
    let questions = questions(&json!([{"required": false}, {}, {}]));
    let mut form = form(questions.input());
    assert_eq!(form.progress(), (0, 2));
    press(&mut form, "1");
    assert_eq!((form.position(), form.progress()), (1, (1, 2)));
    press(&mut form, "k1");
    assert_eq!(form.progress(), (1, 2));
}

#[test]
fn what_was_written_is_sent_without_white_space_around_it() {
    let questions = questions(&json!([{"allow_other": true}]));
    let mut form = form(questions.input());
    press(&mut form, "o  D d ⏎⎋n ⏎ because ⏎ so  ⎋");
    assert_eq!(form.answer(0).note, " \n because \n so  ", "a draft is kept as it is typed");
    match press(&mut form, "⏎⏎") {
        Effect::Submit(output) => {
            let decision = &output.decisions[0];
            assert_eq!(
                (decision.other.as_deref(), decision.note.as_deref()),
                (Some("D d"), Some("because \n so"))
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_typed_where_a_text_is_asked_for_is_no_command() {
    let items =
        json!([{"id": 1, "title": "name", "kind": "text"}, {"id": 2, "title": "more", "kind": "text"}]);
    let text = json!({"task": "t", "source": "s", "items": items});
    let questions = Questions::parse(text.to_string().as_bytes()).unwrap();
    for typed in ["Hi there", "install it", "backwards", "no", "1", "abcdjklnoqrsx]"] {
        let mut form = form(questions.input());
        assert_eq!(press(&mut form, typed), Effect::None);
        assert_eq!((form.mode(), form.position()), (Mode::Write(Field::Other), 0), "{typed}");
        press(&mut form, "⎋");
        assert_eq!(form.answer(0).other, typed);
        assert_eq!((form.answer(0).note.as_str(), form.progress()), ("", (1, 2)), "{typed}");
        // What is there is not typed over; the next question awaits its own.
        press(&mut form, "jnot this");
        assert_eq!((form.answer(0).other.as_str(), form.position()), (typed, 1), "{typed}");
        press(&mut form, "⎋");
        assert_eq!(form.answer(1).other, "not this");
    }
    let mut form = form(questions.input());
    form.key(Key::Paste("j\nk".to_owned()));
    assert_eq!(form.mode(), Mode::Write(Field::Other));
    press(&mut form, "⎋");
    assert_eq!(form.answer(0).other, "j\nk");
    // Held down, a letter is written as often.
    assert!(!form.acts_once(&Key::Char('j')));
    // Escape leaves the field, so that letters are commands; another Escape leaves the form.
    let mut form = self::form(questions.input());
    press(&mut form, "⎋n");
    assert_eq!(form.mode(), Mode::Write(Field::Note));
    assert_eq!(press(&mut form, "⎋⎋"), Effect::Leave);
    // Arrows move, and Enter begins to write.
    let mut form = self::form(questions.input());
    press(&mut form, "→←⏎");
    assert_eq!((form.mode(), form.position()), (Mode::Write(Field::Other), 0));
}

#[test]
fn a_text_is_written_and_a_confirmation_ticked() {
    let text = json!({
        "task": "t", "source": "s", "items": [
            {"id": 1, "title": "name", "kind": "text"},
            {"id": 2, "title": "go", "kind": "confirm", "recommend": "go", "options": [{"value": "go", "label": "Go"}]},
            {"id": 3, "title": "more", "kind": "text", "required": false},
        ],
    });
    let questions = Questions::parse(text.to_string().as_bytes()).unwrap();
    let mut form = form(questions.input());
    assert_eq!(form.progress(), (0, 2));
    press(&mut form, "⏎");
    assert_eq!(form.mode(), Mode::Write(Field::Other), "Enter begins to write");
    press(&mut form, "⎋");
    assert_eq!((form.mode(), form.is_open(0)), (Mode::Item, true), "nothing is no answer");
    press(&mut form, " q1⏎b⎋");
    assert_eq!((form.answer(0).other.as_str(), form.progress()), ("q1\nb", (1, 2)));
    press(&mut form, "x");
    assert_eq!((form.answer(0).other.as_str(), form.progress()), ("", (0, 2)));
    press(&mut form, "oAda⎋⏎");
    assert_eq!(form.position(), 1);
    press(&mut form, "1");
    assert!(form.is_chosen(0));
    press(&mut form, "1");
    assert!(!form.is_chosen(0), "what is ticked can be taken back");
    press(&mut form, "a");
    assert_eq!(form.progress(), (2, 2));
    match press(&mut form, "⏎") {
        Effect::Submit(output) => {
            let given: Vec<_> = output
                .decisions
                .iter()
                .map(|decision| (&decision.chosen, decision.other.as_deref()))
                .collect();
            let confirmed = Chosen::One("go".to_owned());
            assert_eq!(given, [(&Chosen::None, Some("Ada")), (&confirmed, None), (&Chosen::None, None)]);
        }
        other => panic!("{other:?}"),
    }
}
