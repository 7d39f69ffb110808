//! Every rule of contract/decide §2 and §3: what is wrong, and what is said, in both languages.

use crate::support::{BackgroundGuard, Folder, full, minimal};
use serde_json::{Value, json};

const HINT: (&str, &str) =
    ("检查必填字段是否完整", "check that all required fields are present and complete");
/// Where something is there, and is not what it must be.
const SCHEMA_HINT: (&str, &str) =
    ("执行 aide decide schema 查看各字段的要求", "run aide decide schema to see what each field must be");

/// `full` with the value at `pointer` replaced; `None` removes it.
fn with(pointer: &str, value: Option<Value>) -> Value {
    let mut input = full();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = input.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(object), Some(value)) => {
            object.insert(key.to_owned(), value);
        }
        (Value::Object(object), None) => {
            object.shift_remove(key);
        }
        (Value::Array(array), Some(value)) => array[key.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{other}"),
    }
    input
}

/// (pointer, value, Chinese sentence, English sentence)
fn cases() -> Vec<(&'static str, Option<Value>, &'static str, &'static str)> {
    let some = |value: Value| Some(value);
    let option = json!({"value": "a", "label": "A"});
    vec![
        ("/task", None, "task 必须为字符串，当前缺失", "task must be a string, but is missing"),
        ("/task", some(Value::Null), "task 必须为字符串，当前缺失", "task must be a string, but is missing"),
        ("/task", some(json!(1)), "task 必须为字符串，实际为 1", "task must be a string, but is 1"),
        ("/task", some(json!("")), "task 不能为空，实际为 \"\"", "task must not be blank, but is \"\""),
        (
            "/task",
            some(json!(" \t")),
            "task 不能为空，实际为 \" \\t\"",
            "task must not be blank, but is \" \\t\"",
        ),
        (
            "/task",
            some(json!("\u{3000}\u{200b}")),
            "task 不能为空，实际为 \"\u{3000}\u{200b}\"",
            "task must not be blank, but is \"\u{3000}\u{200b}\"",
        ),
        ("/source", None, "source 必须为字符串，当前缺失", "source must be a string, but is missing"),
        (
            "/source",
            some(json!("\n")),
            "source 不能为空，实际为 \"\\n\"",
            "source must not be blank, but is \"\\n\"",
        ),
        (
            "/items",
            None,
            "items 必须为至少 1 个元素的数组，当前缺失",
            "items must be an array with at least 1 element, but is missing",
        ),
        (
            "/items",
            some(json!([])),
            "items 必须为至少 1 个元素的数组，实际为 []",
            "items must be an array with at least 1 element, but is []",
        ),
        (
            "/items",
            some(json!({"a": 1})),
            "items 必须为至少 1 个元素的数组，实际为 {\"a\":1}",
            "items must be an array with at least 1 element, but is {\"a\":1}",
        ),
        (
            "/items/1",
            some(json!("x")),
            "items[1] 必须为对象，实际为 \"x\"",
            "items[1] must be an object, but is \"x\"",
        ),
        (
            "/items/0/id",
            None,
            "items[0].id 必须为整数，当前缺失",
            "items[0].id must be an integer, but is missing",
        ),
        (
            "/items/0/id",
            some(json!("1")),
            "items[0].id 必须为整数，实际为 \"1\"",
            "items[0].id must be an integer, but is \"1\"",
        ),
        (
            "/items/0/id",
            some(json!(true)),
            "items[0].id 必须为整数，实际为 true",
            "items[0].id must be an integer, but is true",
        ),
        (
            "/items/0/id",
            some(json!(1.5)),
            "items[0].id 必须为整数，实际为 1.5",
            "items[0].id must be an integer, but is 1.5",
        ),
        (
            "/items/0/id",
            some(json!(0)),
            "items[0].id 必须为正整数，实际为 0",
            "items[0].id must be a positive integer, but is 0",
        ),
        (
            "/items/0/id",
            some(json!(-3)),
            "items[0].id 必须为正整数，实际为 -3",
            "items[0].id must be a positive integer, but is -3",
        ),
        (
            "/items/0/id",
            some(json!(9_007_199_254_740_993_u64)),
            "items[0].id 不能大于 9007199254740991，实际为 9007199254740993",
            "items[0].id must be at most 9007199254740991, but is 9007199254740993",
        ),
        (
            "/items/1/id",
            some(json!(1)),
            "items[1].id 与已有待定项重复: 1",
            "items[1].id repeats the id of another question: 1",
        ),
        (
            "/items/1/id",
            some(json!(1.0)),
            "items[1].id 与已有待定项重复: 1",
            "items[1].id repeats the id of another question: 1",
        ),
        (
            "/items/0/title",
            None,
            "items[0].title 必须为字符串，当前缺失",
            "items[0].title must be a string, but is missing",
        ),
        (
            "/items/0/title",
            some(json!(" ")),
            "items[0].title 不能为空，实际为 \" \"",
            "items[0].title must not be blank, but is \" \"",
        ),
        (
            "/items/1/options",
            None,
            "items[1].options 必须为至少 1 个元素的数组，当前缺失",
            "items[1].options must be an array with at least 1 element, but is missing",
        ),
        (
            "/items/1/options",
            some(json!([])),
            "items[1].options 必须为至少 1 个元素的数组，实际为 []",
            "items[1].options must be an array with at least 1 element, but is []",
        ),
        (
            "/items/0/options/1",
            some(json!(null)),
            "items[0].options[1] 必须为对象，当前缺失",
            "items[0].options[1] must be an object, but is missing",
        ),
        (
            "/items/0/options/1/value",
            None,
            "items[0].options[1].value 必须为字符串，当前缺失",
            "items[0].options[1].value must be a string, but is missing",
        ),
        (
            "/items/0/options/1/value",
            some(json!("")),
            "items[0].options[1].value 不能为空，实际为 \"\"",
            "items[0].options[1].value must not be blank, but is \"\"",
        ),
        (
            "/items/0/options/1/value",
            some(json!("jwt")),
            "items[0].options[1].value 在当前待定项中必须唯一，重复值: jwt",
            "items[0].options[1].value must be unique within its question, but repeats: jwt",
        ),
        (
            "/items/0/options/0/label",
            some(json!(["x"])),
            "items[0].options[0].label 必须为字符串，实际为 [\"x\"]",
            "items[0].options[0].label must be a string, but is [\"x\"]",
        ),
        (
            "/items/0/options/0/label",
            some(json!("\u{feff}")),
            "items[0].options[0].label 不能为空，实际为 \"\u{feff}\"",
            "items[0].options[0].label must not be blank, but is \"\u{feff}\"",
        ),
        (
            "/items/0/options/0/score",
            some(json!("85")),
            "items[0].options[0].score 必须为数字，实际为 \"85\"",
            "items[0].options[0].score must be a number, but is \"85\"",
        ),
        (
            "/items/0/options/0/score",
            some(json!(-0.1)),
            "items[0].options[0].score 必须在 0-100 范围内，实际为 -0.1",
            "items[0].options[0].score must be from 0 to 100, but is -0.1",
        ),
        (
            "/items/0/options/0/score",
            some(json!(100.1)),
            "items[0].options[0].score 必须在 0-100 范围内，实际为 100.1",
            "items[0].options[0].score must be from 0 to 100, but is 100.1",
        ),
        (
            "/items/0/options/0/pros",
            some(json!("无状态")),
            "items[0].options[0].pros 必须为字符串数组，实际为 \"无状态\"",
            "items[0].options[0].pros must be an array of strings, but is \"无状态\"",
        ),
        (
            "/items/0/options/0/cons",
            some(json!(["a", 2])),
            "items[0].options[0].cons[1] 必须为字符串，实际为 2",
            "items[0].options[0].cons[1] must be a string, but is 2",
        ),
        (
            "/items/0/location",
            some(json!("a:1")),
            "items[0].location 必须为对象，实际为 \"a:1\"",
            "items[0].location must be an object, but is \"a:1\"",
        ),
        (
            "/items/0/location/file",
            some(json!("")),
            "items[0].location.file 不能为空，实际为 \"\"",
            "items[0].location.file must not be blank, but is \"\"",
        ),
        (
            "/items/0/location/start",
            some(json!("5")),
            "items[0].location.start 必须为整数，实际为 \"5\"",
            "items[0].location.start must be an integer, but is \"5\"",
        ),
        (
            "/items/0/location/start",
            some(json!(0)),
            "items[0].location.start 必须为正整数，实际为 0",
            "items[0].location.start must be a positive integer, but is 0",
        ),
        (
            "/items/0/location/end",
            None,
            "items[0].location.end 必须为整数，当前缺失",
            "items[0].location.end must be an integer, but is missing",
        ),
        (
            "/items/0/location/end",
            some(json!(4)),
            "items[0].location.end 不能小于 start（5），实际为 4",
            "items[0].location.end must not be less than start (5), but is 4",
        ),
        (
            "/items/0/context",
            some(json!(7)),
            "items[0].context 必须为字符串，实际为 7",
            "items[0].context must be a string, but is 7",
        ),
        ("/_meta", some(json!([])), "_meta 必须为对象，实际为 []", "_meta must be an object, but is []"),
        (
            "/items/1/options",
            some(json!([option, 5])),
            "items[1].options[1] 必须为对象，实际为 5",
            "items[1].options[1] must be an object, but is 5",
        ),
    ]
}

#[test]
fn each_rule_names_path_and_value() {
    let folder = Folder::project();
    let before = folder.tree();
    for (pointer, value, zh, en) in cases() {
        let input = with(pointer, value).to_string();
        let is_incomplete =
            ["当前缺失", "不能为空", "的数组，实际为 []"].iter().any(|words| zh.contains(words));
        let hint = if is_incomplete { HINT } else { SCHEMA_HINT };
        let zh_told = folder.aide(["decide", "submit", &input]).stderr;
        let mut lines = zh_told.lines();
        assert_eq!(lines.next(), Some(&*format!("✗ 数据验证失败: {zh}")), "{pointer}");
        assert_eq!(lines.next(), Some(&*format!("  建议: {}", hint.0)), "{pointer}");
        let en_told = folder.aide(["--lang", "en", "decide", "submit", &input]);
        assert_eq!((en_told.code, &*en_told.stdout), (Some(1), ""));
        let mut lines = en_told.stderr.lines();
        assert_eq!(lines.next(), Some(&*format!("✗ invalid data: {en}")), "{pointer}");
        assert_eq!(lines.next(), Some(&*format!("  hint: {}", hint.1)), "{pointer}");
    }
    assert_eq!(folder.tree(), before);
}

#[test]
fn the_documented_examples() {
    let folder = Folder::project();
    let input = with("/items/0/options", Some(json!([{"value": "jwt", "label": "JWT"}])));
    folder.aide(["decide", "submit", &input.to_string()]).failed(
        1,
        "✗ 数据验证失败: items[0].options 至少需要 2 个选项，当前只有 1 个\n  建议: 为每个待定项提供至少 2 个可选方案\n",
    );
    let input = with("/items/1/recommend", Some(json!("invalid")));
    folder.aide(["decide", "submit", &input.to_string()]).failed(
        1,
        "✗ 数据验证失败: items[1].recommend 值 \"invalid\" 不在 options 中\n  建议: recommend 必须是 options 中某个选项的 value\n",
    );
    folder
        .aide(["decide", "submit", "[1]"])
        .failed(1, "✗ 数据验证失败: 输入数据必须为对象\n  建议: 检查必填字段是否完整\n");
}

#[test]
fn all_problems_are_told_but_not_without_end() {
    let folder = Folder::project();
    let mut input = full();
    input["items"] = json!(vec![json!({}); 20]);
    let told = folder.aide(["decide", "submit", &input.to_string(), "--lang", "en"]);
    let lines: Vec<_> = told.stderr.lines().collect();
    assert_eq!(lines[0], "✗ invalid data: items[0].id must be an integer, but is missing");
    assert_eq!(lines[2], "  59 more problems:");
    assert_eq!(lines[3], "  - items[0].title must be a string, but is missing");
    assert_eq!(lines.len(), 3 + 50 + 1);
    assert_eq!(lines[53], "  - and 9 more");
}

#[test]
fn the_limits_are_inside() {
    let folder = Folder::project();
    for (pointer, value) in [
        ("/items/0/options/0/score", json!(0)),
        ("/items/0/options/0/score", json!(100)),
        ("/items/0/options/0/score", json!(-0.0)),
        ("/items/0/options/0/score", json!(99.99)),
        ("/items/0/id", json!(1.0)),
        ("/items/0/id", json!(9_007_199_254_740_991_u64)),
        ("/items/0/location/end", json!(5)),
        ("/items/0/location", json!(null)),
        ("/items/0/context", json!("")),
        ("/items/0/recommend", json!(null)),
        ("/items/0/options/0/pros", json!([])),
        ("/items/0/something", json!({"else": true})),
        ("/_meta", json!({"session_id": "forged"})),
    ] {
        let running = folder.submit(&with(pointer, Some(value.clone())));
        assert_ne!(folder.session(), "forged");
        if pointer != "/_meta" {
            assert_eq!(folder.pending().pointer(pointer), Some(&value));
        }
        drop(running);
    }
}

/// Asks so that nothing is left running, and gives what was said on standard error.
fn warned(folder: &Folder, lang: &str, input: &str, further: &[&str]) -> String {
    let mut arguments = vec!["--lang", lang, "decide", "submit", input, "--port", "0", "--detach"];
    arguments.extend(further);
    let told = folder.aide(arguments);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(folder.aide(["decide", "cancel"]).code, Some(0));
    told.stderr
}

#[test]
fn a_slip_of_a_known_name_is_warned_of_and_kept() {
    let folder = Folder::project();
    let mut input = full();
    let item = input["items"][0].as_object_mut().unwrap();
    let recommend = item.remove("recommend").unwrap();
    item.insert("recomend".to_owned(), recommend);
    item.insert("multi".to_owned(), json!(true));
    item.insert("comment".to_owned(), json!("kept as well"));
    let text = input.to_string();
    assert_eq!(
        warned(&folder, "en", &text, &[]),
        "⚠ items[0].recomend is not a known field; did you mean recommend?\n⚠ items[0].multi is not a known field; did you mean multiple?\n"
    );
    assert_eq!(folder.pending()["items"][0]["recomend"], "jwt");
    assert_eq!(
        warned(&folder, "zh", &text, &["--json"]),
        "⚠ items[0].recomend 不是已知字段，是否要用 recommend？\n⚠ items[0].multi 不是已知字段，是否要用 multiple？\n"
    );
    folder.write("questions.json", &text);
    assert!(warned(&folder, "en", "questions.json", &[]).starts_with("⚠ items[0].recomend is not"));
    // In the foreground as well; what is printed on standard output stays as documented.
    let running = folder.submit(&input);
    let answers = json!({"decisions": [{"id": 1, "chosen": "jwt"}, {"id": 2, "chosen": "bcrypt"}]});
    assert_eq!(running.answer(&answers).status, 200);
    let finished = running.finish();
    assert_eq!((finished.code, &*finished.stdout), (Some(0), "✓ 决策已完成\n"));
    assert_eq!(finished.stderr.lines().count(), 2, "{}", finished.stderr);
}

/// A deadline is the command's, not the questions'.
#[test]
fn a_deadline_among_the_questions_is_said_to_have_no_effect() {
    let folder = Folder::project_on_any_port();
    let mut questions = minimal();
    questions["deadline"] = "2h".into();
    let submit = |further: &[&str]| {
        let text = questions.to_string();
        let _background = BackgroundGuard(&folder);
        folder.aide(["decide", "submit", &text, "--detach", "--queue"].iter().chain(further))
    };
    let told = submit(&[]);
    assert_eq!(
        (told.code, &*told.stderr),
        (Some(0), "⚠ 待定项中的 deadline 不起作用\n  建议: 请写在命令中: --deadline 2h\n")
    );
    assert!(told.stdout.starts_with("→ Web 服务已启动\n→ 请访问: "), "{told:?}");
}

#[test]
fn slips_are_warned_of_but_not_without_end() {
    let folder = Folder::project();
    let mut input = full();
    let item = |id: u64| {
        let option = |value: &str| json!({"value": value, "label": value});
        json!({"id": id, "title": "t", "multi": true, "options": [option("a"), option("b")]})
    };
    input["items"] = (1..=13).map(item).collect();
    let told = warned(&folder, "en", &input.to_string(), &[]);
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 11, "{told}");
    assert_eq!(lines[9], "⚠ items[9].multi is not a known field; did you mean multiple?");
    assert_eq!(lines[10], "⚠ 3 more unknown fields");
}

#[test]
fn what_is_wrong_with_a_file_names_it_and_the_slip_below_the_documented_lines() {
    let folder = Folder::project();
    let mut input = full();
    let item = input["items"][0].as_object_mut().unwrap();
    let options = item.remove("options").unwrap();
    item.insert("option".to_owned(), options);
    folder.write("questions.json", input.to_string());
    folder.aide(["decide", "submit", "questions.json"]).failed(
        1,
        "✗ 数据验证失败: items[0].options 必须为至少 1 个元素的数组，当前缺失\n  建议: 检查必填字段是否完整\n  文件: questions.json\n  items[0].option 不是已知字段，是否要用 options？\n  另有 1 个问题:\n  - items[0].recommend 值 \"jwt\" 不在 options 中\n",
    );
    // Inline it is as documented, but for the slip.
    folder.aide(["--lang", "en", "decide", "submit", &input.to_string()]).failed(
        1,
        "✗ invalid data: items[0].options must be an array with at least 1 element, but is missing\n  hint: check that all required fields are present and complete\n  items[0].option is not a known field; did you mean options?\n  1 more problem:\n  - items[0].recommend is \"jwt\", which is not one of the options\n",
    );
    folder.write("cut.json", "{\"task\": ");
    folder.aide(["--lang", "en", "decide", "submit", "cut.json"]).failed(
        1,
        "✗ cannot parse the JSON: EOF while parsing a value at line 1 column 9\n  hint: check that the JSON is well-formed\n  file: cut.json\n",
    );
}
