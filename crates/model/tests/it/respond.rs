//! Answers that are typed.

use model::respond::{ResponseError, format, is_yes_or_no, parse, positions, unknown_part};
use model::{Chosen, DecideItem, DecideOption, ItemKind};
use proptest::prelude::*;

fn item(options: &[&str]) -> DecideItem {
    let option = |label: &&str| DecideOption {
        value: (*label).to_owned(),
        label: (*label).to_owned(),
        description: None,
        preview: None,
        score: None,
        pros: None,
        cons: None,
    };
    DecideItem {
        id: 1,
        title: "?".to_owned(),
        kind: if options.is_empty() { ItemKind::Text } else { ItemKind::Choice },
        location: None,
        context: None,
        options: options.iter().map(option).collect(),
        recommend: None,
        multiple: false,
        min: None,
        max: None,
        names: Vec::new(),
        max_bytes: None,
        allow_other: false,
        required: true,
    }
}

fn several(options: &[&str]) -> DecideItem {
    DecideItem { multiple: true, ..item(options) }
}

fn selected(item: &DecideItem, text: &str) -> Result<String, ResponseError> {
    parse(item, text, None).map(|response| response.selected.join("|"))
}

/// The two answers of contract/terminal §7.1.
#[test]
fn the_document_is_understood() {
    let yes_or_no = item(&["Y", "n"]);
    let response = parse(&yes_or_no, "Y", None).unwrap();
    assert_eq!(response.decision.chosen, Chosen::One("Y".to_owned()));
    assert_eq!((response.text.as_str(), response.selected), ("Y", vec!["Y".to_owned()]));
    let papers = several(&["paper1.pdf", "paper2.pdf", "paper3.pdf"]);
    let response = parse(&papers, "1,3", None).unwrap();
    assert_eq!(
        response.decision.chosen,
        Chosen::Several(vec!["paper1.pdf".to_owned(), "paper3.pdf".to_owned()])
    );
    assert_eq!(response.text, "1,3", "as it was typed");
}

#[test]
fn several_options_are_named_by_their_words() {
    let papers = several(&["paper1.pdf", "paper2.pdf", "Paris, France", "Rome"]);
    for (text, chosen) in [
        ("paper1.pdf, Rome", "paper1.pdf|Rome"),
        ("rome，PAPER2.pdf、", "Rome|paper2.pdf"),
        ("Paris, France, paper1.pdf", "Paris, France|paper1.pdf"),
        ("paper1.pdf, Paris, France", "paper1.pdf|Paris, France"),
        ("paper1.pdf, 3-4", "paper1.pdf|Paris, France|Rome"),
        ("Rome, Rome, 4", "Rome"),
    ] {
        assert_eq!(selected(&papers, text).as_deref(), Ok(chosen), "{text}");
    }
    for text in ["paper1.pdf Rome", "paper1.pdf, paper9.pdf", "Paris, paper1.pdf", "Rome,, paper1.pdf"] {
        assert_eq!(selected(&papers, text), Err(ResponseError::NoOption), "{text}");
    }
    // What is far too long to name options is not searched for them.
    let long = "Rome,".repeat(10_000);
    assert_eq!(selected(&papers, &long), Err(ResponseError::NoOption));
    // Words that are asked for stay words, unless each part of them is an option.
    let open = DecideItem { allow_other: true, ..papers };
    let said = |item: &DecideItem, text: &str| parse(item, text, None).unwrap().decision.other;
    assert_eq!(said(&open, "Rome, and one by night").as_deref(), Some("Rome, and one by night"));
    assert_eq!(said(&open, "Rome, paper1.pdf"), None);
    let one = DecideItem { multiple: false, ..open };
    assert_eq!(said(&one, "Rome, paper1.pdf").as_deref(), Some("Rome, paper1.pdf"));
}

#[test]
fn the_part_of_a_list_that_names_nothing_is_found() {
    let item = several(&["a.pdf", "b.pdf"]);
    let known = |part: &str| positions(&item, part).is_some();
    for (text, part) in [
        ("a.pdf, c.pdf", Some("c.pdf")),
        ("1，9、x", Some("9")),
        ("a.pdf, 2", None),
        (", ,", None),
        // It is no list.
        ("c.pdf", None),
    ] {
        assert_eq!(unknown_part(text, known), part, "{text}");
    }
}

#[test]
fn yes_and_no_are_said_in_many_ways() {
    let yes_or_no = item(&["Y", "n"]);
    for yes in ["Y", "y", "yes", "YES", " Yes ", "1", "是", ""] {
        assert_eq!(selected(&yes_or_no, yes).as_deref(), Ok("Y"), "{yes:?}");
    }
    for no in ["n", "N", "no", "2", "否"] {
        assert_eq!(selected(&yes_or_no, no).as_deref(), Ok("n"), "{no:?}");
    }
    for neither in ["maybe", "0", "3", "1,2", "yn", "-1", "1.0", "+1"] {
        assert!(selected(&yes_or_no, neither).is_err(), "{neither:?}");
    }
    assert_eq!(selected(&item(&["y", "n"]), ""), Err(ResponseError::Empty), "neither is written in capitals");
    assert_eq!(selected(&item(&["Y", "N"]), ""), Err(ResponseError::Empty), "both are");
    assert_eq!(selected(&item(&["Yes", "no"]), ""), Err(ResponseError::Empty), "it only begins with one");
    assert_eq!(selected(&item(&["yes", "NO"]), "").as_deref(), Ok("NO"));
    assert_eq!(
        selected(&item(&["Keep", "drop"]), ""),
        Err(ResponseError::Empty),
        "that says neither yes nor no"
    );
    assert_eq!(selected(&item(&["y", "N"]), "").as_deref(), Ok("N"));
    assert!(is_yes_or_no(&item(&["No", "yes"])) && !is_yes_or_no(&item(&["y", "yes"])));
}

#[test]
fn options_are_named_or_numbered() {
    let one = item(&["SQLite", "PostgreSQL", "3"]);
    assert_eq!(selected(&one, "sqlite").as_deref(), Ok("SQLite"));
    assert_eq!(selected(&one, "2").as_deref(), Ok("PostgreSQL"));
    assert_eq!(selected(&one, "3").as_deref(), Ok("3"), "its own words come first");
    assert_eq!(selected(&item(&["2", "1"]), "1").as_deref(), Ok("1"));
    assert_eq!(selected(&one, "1,2"), Err(ResponseError::Count(1, 1)));
    assert_eq!(selected(&one, "4"), Err(ResponseError::NoOption));
    assert_eq!(selected(&item(&["a", "A"]), "A").as_deref(), Ok("A"), "exactly that one");
    let many = several(&["a", "b", "c", "d"]);
    for (text, expected) in [
        ("1,3", "a|c"),
        ("3,1", "c|a"),
        ("1，3", "a|c"),
        ("1 3", "a|c"),
        ("1、 3", "a|c"),
        ("2-4", "b|c|d"),
        ("1-2,4", "a|b|d"),
        ("1,1,2-3,3", "a|b|c"),
        ("b", "b"),
        ("a; c", "a|c"),
        ("a；c", "a|c"),
        ("1; 3", "a|c"),
    ] {
        assert_eq!(selected(&many, text).as_deref(), Ok(expected), "{text}");
    }
    for wrong in ["1,5", "0", "3-1", "1-", "-", ",", "1,x", "1;2", "999999999999999999999"] {
        assert_eq!(selected(&many, wrong), Err(ResponseError::NoOption), "{wrong}");
    }
    let bounded = DecideItem { min: Some(2), max: Some(3), ..several(&["a", "b", "c", "d"]) };
    assert_eq!(selected(&bounded, "1"), Err(ResponseError::Count(2, 3)));
    assert_eq!(selected(&bounded, "1-4"), Err(ResponseError::Count(2, 3)));
}

#[test]
fn words_of_ones_own_are_taken_where_they_are_asked_for() {
    let text = item(&[]);
    let response = parse(&text, "  七 Tage \n", None).unwrap();
    assert_eq!((response.decision.other.as_deref(), response.selected.len()), (Some("七 Tage"), 0));
    assert_eq!(parse(&text, " ", None), Err(ResponseError::Empty));
    assert_eq!(parse(&text, " ", Some("later")).unwrap().text, "later");
    let open = DecideItem { allow_other: true, ..item(&["a", "b"]) };
    assert_eq!(parse(&open, "1", None).unwrap().selected, ["a"]);
    assert_eq!(parse(&open, "neither", None).unwrap().decision.other.as_deref(), Some("neither"));
    assert_eq!(positions(&open, "3"), Some(vec![2]), "the number of one's own words");
    assert_eq!(
        parse(&DecideItem { kind: ItemKind::Files, ..item(&[]) }, "x", None),
        Err(ResponseError::Files)
    );
}

#[test]
fn a_default_stands_for_nothing() {
    let one = item(&["a", "b"]);
    assert_eq!(parse(&one, "", Some("b")).unwrap().selected, ["b"]);
    assert_eq!(parse(&one, "a", Some("b")).unwrap().selected, ["a"]);
    assert_eq!(parse(&one, "", Some("c")), Err(ResponseError::NoOption));
    assert_eq!(parse(&one, "", None), Err(ResponseError::Empty));
}

proptest! {
    /// Whatever is typed, what is understood is an answer to the item, and is understood again as it is written.
    #[test]
    fn what_is_understood_is_an_answer(
        labels in proptest::collection::btree_set("[a-dA-D1-4yYnN,-]{1,3}|Y|n", 1..5),
        multiple in any::<bool>(),
        allow_other in any::<bool>(),
        text in "[a-dA-D0-9yn,，-]{0,6}|\\PC{0,4}",
    ) {
        let labels: Vec<_> = labels.iter().map(String::as_str).collect();
        let item = DecideItem { multiple, allow_other, ..item(&labels) };
        if let Ok(response) = parse(&item, &text, None) {
            let chosen = response.decision.chosen.values();
            prop_assert!(chosen.iter().all(|value| labels.contains(&value.as_str())));
            prop_assert_eq!(chosen.len(), response.selected.len());
            prop_assert!(chosen.len() + usize::from(response.decision.other.is_some()) >= 1);
            let written = format(&item, &response.decision);
            let again = parse(&item, &written, None).unwrap();
            prop_assert_eq!(again.decision, response.decision, "{}", written);
        }
    }
}
