//! Every sentence, in both languages, as people read it.

use model::{Found, InputError, ItemKind, Path, Problem, Questions, Rule, Slip, SyntaxError};
use texts::Lang::{En, Zh};
use texts::{problem, problem_hint, slip, syntax};

const INCOMPLETE: (&str, &str) =
    ("检查必填字段是否完整", "check that all required fields are present and complete");
const OTHER: (&str, &str) =
    ("执行 aide decide schema 查看各字段的要求", "run aide decide schema to see what each field must be");

fn path() -> Path {
    Path::root().key("items").index(0).key("options")
}

fn at(rule: Rule, found: &str) -> Problem {
    Problem { path: path(), rule, found: Found::Json(found.to_owned()) }
}

#[test]
fn every_rule_has_its_sentence() {
    let missing = |rule| Problem { path: path(), rule, found: Found::Missing };
    for (broken, zh, en) in [
        (at(Rule::InputIsObject, "[]"), "输入数据必须为对象", "the input must be an object"),
        (at(Rule::OutputIsObject, "[]"), "输出数据必须为对象", "the output must be an object"),
        (
            missing(Rule::IsObject),
            "items[0].options 必须为对象，当前缺失",
            "items[0].options must be an object, but is missing",
        ),
        (
            at(Rule::IsString, "1"),
            "items[0].options 必须为字符串，实际为 1",
            "items[0].options must be a string, but is 1",
        ),
        (
            at(Rule::NotBlank, "\" \""),
            "items[0].options 不能为空，实际为 \" \"",
            "items[0].options must not be blank, but is \" \"",
        ),
        (
            at(Rule::IsInteger, "\"1\""),
            "items[0].options 必须为整数，实际为 \"1\"",
            "items[0].options must be an integer, but is \"1\"",
        ),
        (
            at(Rule::IsPositive, "0"),
            "items[0].options 必须为正整数，实际为 0",
            "items[0].options must be a positive integer, but is 0",
        ),
        (
            at(Rule::IsSafeInteger, "9007199254740993"),
            "items[0].options 不能大于 9007199254740991，实际为 9007199254740993",
            "items[0].options must be at most 9007199254740991, but is 9007199254740993",
        ),
        (
            at(Rule::IsFilledArray, "[]"),
            "items[0].options 必须为至少 1 个元素的数组，实际为 []",
            "items[0].options must be an array with at least 1 element, but is []",
        ),
        (
            at(Rule::AtLeastTwoOptions { count: 1 }, "[1]"),
            "items[0].options 至少需要 2 个选项，当前只有 1 个",
            "items[0].options needs at least 2 options, but has 1",
        ),
        (
            at(Rule::UniqueId { id: 1 }, "1"),
            "items[0].options 与已有待定项重复: 1",
            "items[0].options repeats the id of another question: 1",
        ),
        (
            at(Rule::UniqueValue { value: "a\nb".to_owned() }, ""),
            "items[0].options 在当前待定项中必须唯一，重复值: a\\nb",
            "items[0].options must be unique within its question, but repeats: a\\nb",
        ),
        (
            at(Rule::IsNumber, "true"),
            "items[0].options 必须为数字，实际为 true",
            "items[0].options must be a number, but is true",
        ),
        (
            at(Rule::IsScore, "100.1"),
            "items[0].options 必须在 0-100 范围内，实际为 100.1",
            "items[0].options must be from 0 to 100, but is 100.1",
        ),
        (
            at(Rule::IsStringArray, "{}"),
            "items[0].options 必须为字符串数组，实际为 {}",
            "items[0].options must be an array of strings, but is {}",
        ),
        (
            at(Rule::RecommendsAnOption { value: "invalid".to_owned() }, "\"invalid\""),
            "items[0].options 值 \"invalid\" 不在 options 中",
            "items[0].options is \"invalid\", which is not one of the options",
        ),
        (
            at(Rule::EndsAfterStart { start: 5 }, "3"),
            "items[0].options 不能小于 start（5），实际为 3",
            "items[0].options must not be less than start (5), but is 3",
        ),
        (
            at(Rule::IsBoolean, "1"),
            "items[0].options 必须为 true 或 false，实际为 1",
            "items[0].options must be true or false, but is 1",
        ),
        (
            at(Rule::NeedsMultiple, "1"),
            "items[0].options 只能与 multiple: true 一起使用",
            "items[0].options is only allowed with multiple: true",
        ),
        (
            at(Rule::IsBetween { least: 1, most: 3 }, "4"),
            "items[0].options 必须在 1-3 范围内，实际为 4",
            "items[0].options must be from 1 to 3, but is 4",
        ),
        (
            at(Rule::ChosenOnce { id: 1, chosen: "x".to_owned() }, ""),
            "待定项 1 的决策值重复: x",
            "an option of question 1 is chosen more than once: x",
        ),
        (
            at(Rule::ChoiceCount { id: 1, least: 1, most: 2, count: 3 }, ""),
            "待定项 1 需要选择 1-2 项，实际为 3 项",
            "question 1 takes 1-2 choices, but got 3",
        ),
        (
            at(Rule::ChoiceCount { id: 1, least: 2, most: 2, count: 3 }, ""),
            "待定项 1 需要选择 2 项，实际为 3 项",
            "question 1 takes 2 choices, but got 3",
        ),
        (
            at(Rule::OtherOffered { id: 1 }, ""),
            "待定项 1 不接受其他答案",
            "question 1 accepts only its options",
        ),
        (
            at(Rule::IsKind, "\"file\""),
            "items[0].options 必须为 \"choice\"、\"text\"、\"confirm\"、\"files\" 之一，实际为 \"file\"",
            "items[0].options must be one of \"choice\", \"text\", \"confirm\", \"files\", but is \"file\"",
        ),
        (
            at(Rule::OneOption { count: 2 }, ""),
            "items[0].options 需要恰好 1 个选项，当前有 2 个",
            "items[0].options needs exactly 1 option, but has 2",
        ),
        (
            at(Rule::NotOfKind { kind: ItemKind::Text }, ""),
            "items[0].options 不能与 kind: \"text\" 一起使用",
            "items[0].options is not allowed with kind: \"text\"",
        ),
        (
            at(Rule::AnsweredInWords { id: 1 }, ""),
            "待定项 1 没有选项，请在 other 中填写答案",
            "question 1 has no options; give the answer as other",
        ),
        (
            at(Rule::IsFileName, "\"a/b\""),
            "items[0].options 必须为文件名或通配模式，不能是路径，实际为 \"a/b\"",
            "items[0].options must be a file name or a pattern, not a path, but is \"a/b\"",
        ),
        (
            at(Rule::IsPreview, "3"),
            "items[0].options 必须为字符串，或含 file 的对象，实际为 3",
            "items[0].options must be a string, or an object with file, but is 3",
        ),
        (
            at(Rule::IsPicture, "\"data:x\""),
            "items[0].options 必须为 data:image/…;base64,… 形式的 PNG、JPEG、GIF 或 WebP 图片，最大 512 KiB，实际为 \"data:x\"",
            "items[0].options must be a PNG, JPEG, GIF or WebP picture of at most 512 KiB as data:image/…;base64,…, but is \"data:x\"",
        ),
        (
            at(Rule::IsPictureFile, "\"a.svg\""),
            "items[0].options 必须为以 .png、.jpg、.jpeg、.gif 或 .webp 结尾的文件，实际为 \"a.svg\"",
            "items[0].options must name a file that ends in .png, .jpg, .jpeg, .gif or .webp, but is \"a.svg\"",
        ),
        (
            at(Rule::IsShort { most: 9 }, "\"a\""),
            "items[0].options 最多 9 字节，实际为 \"a\"",
            "items[0].options must have at most 9 bytes, but is \"a\"",
        ),
        (
            at(Rule::AnsweredByFiles { id: 1 }, ""),
            "待定项 1 只能以附件作答",
            "question 1 is answered by the files attached to it, and by nothing else",
        ),
        (
            at(Rule::FileCount { id: 1, least: 1, most: 3, count: 0 }, ""),
            "待定项 1 需要 1-3 个附件，当前有 0 个",
            "question 1 takes 1-3 files, but has 0",
        ),
        (
            at(Rule::FileCount { id: 1, least: 1, most: 1, count: 2 }, ""),
            "待定项 1 需要 1 个附件，当前有 2 个",
            "question 1 takes 1 file, but has 2",
        ),
        (
            at(Rule::FilesAttached { id: 1 }, ""),
            "items[0].options 必须与待定项 1 已有的附件一致，也可省略",
            "items[0].options must be the files attached to question 1, or be left out",
        ),
        (at(Rule::FilesAsked { id: 1 }, ""), "待定项 1 不接受附件", "question 1 does not ask for files"),
        (
            at(Rule::OtherWritten { id: 1 }, ""),
            "请填写待定项 1 的其他答案",
            "write your own answer to question 1",
        ),
        (
            at(Rule::AnsweredOnce { id: 1 }, ""),
            "待定项 1 的决策重复",
            "question 1 is answered more than once",
        ),
        (at(Rule::ItemExists { id: 9 }, ""), "存在未知的待定项 9", "there is no question 9"),
        (
            at(Rule::OptionExists { id: 1, chosen: "x".to_owned() }, ""),
            "待定项 1 的决策值无效: x",
            "question 1 has no such option: x",
        ),
        (
            at(Rule::EveryItemAnswered { ids: vec![1, 2] }, ""),
            "缺少待定项 1, 2 的决策",
            "no decision for questions 1, 2",
        ),
    ] {
        assert_eq!(problem(Zh, &broken), zh);
        assert_eq!(problem(En, &broken), en);
    }
}

#[test]
fn hints() {
    for (rule, zh, en) in [
        (
            Rule::AtLeastTwoOptions { count: 1 },
            "为每个待定项提供至少 2 个可选方案",
            "give every question at least 2 options",
        ),
        (
            Rule::OneOption { count: 2 },
            "为需要确认的待定项只提供 1 个选项",
            "give a question to be confirmed exactly 1 option",
        ),
        (
            Rule::RecommendsAnOption { value: String::new() },
            "recommend 必须是 options 中某个选项的 value",
            "recommend must be the value of one of the options",
        ),
        (Rule::NotBlank, INCOMPLETE.0, INCOMPLETE.1),
        (Rule::InputIsObject, INCOMPLETE.0, INCOMPLETE.1),
        (Rule::IsString, OTHER.0, OTHER.1),
        (Rule::IsScore, OTHER.0, OTHER.1),
        (Rule::UniqueId { id: 1 }, OTHER.0, OTHER.1),
        (Rule::IsFilledArray, OTHER.0, OTHER.1),
    ] {
        assert_eq!(problem_hint(Zh, &at(rule.clone(), "1")), zh);
        assert_eq!(problem_hint(En, &at(rule, "1")), en);
    }
    for missing in
        [at(Rule::IsFilledArray, "[]"), Problem { path: path(), rule: Rule::IsString, found: Found::Missing }]
    {
        assert_eq!((&*problem_hint(Zh, &missing), &*problem_hint(En, &missing)), INCOMPLETE);
    }
}

#[test]
fn slips() {
    let mut found = Slip { path: Path::root(), found: "taks\n".to_owned(), meant: "task" };
    assert_eq!(slip(Zh, &found), "taks\\n 不是已知字段，是否要用 task？");
    assert_eq!(slip(En, &found), "taks\\n is not a known field; did you mean task?");
    found.path = path();
    assert_eq!(slip(En, &found), "items[0].options.taks\\n is not a known field; did you mean task?");
}

#[test]
fn what_is_not_json() {
    for (error, zh, en) in [
        (SyntaxError::Empty, "输入为空", "the input is empty"),
        (SyntaxError::Utf16, "编码为 UTF-16，请保存为 UTF-8", "it is UTF-16; save it as UTF-8"),
        (
            SyntaxError::Conflict,
            "有合并冲突，请编辑该文件，或用 git checkout --ours / --theirs 选择一个版本",
            "it has a merge conflict; edit the file, or choose a version with git checkout --ours or --theirs",
        ),
        (
            SyntaxError::NotUtf8 { offset: 9 },
            "不是有效的 UTF-8，从第 10 个字节起",
            "not valid UTF-8 from byte 10",
        ),
        (SyntaxError::Json("expected value".to_owned()), "expected value", "expected value"),
    ] {
        assert_eq!(syntax(Zh, &error), zh);
        assert_eq!(syntax(En, &error), en);
    }
}

/// What an agent sent, up to the sentence it reads.
#[test]
fn long_values_are_shortened() {
    let json = format!(r#"{{"task":"t","source":{{"a":"{}"}},"items":[]}}"#, "长\\n".repeat(1000));
    let Err(InputError::Invalid(problems)) = Questions::parse(json.as_bytes()) else { unreachable!() };
    let sentence = problem(Zh, &problems[0]);
    assert!(sentence.starts_with(r#"source 必须为字符串，实际为 {"a":"长\n长\n"#), "{sentence}");
    assert!(sentence.ends_with('…') && sentence.chars().count() < 90, "{sentence}");
}
