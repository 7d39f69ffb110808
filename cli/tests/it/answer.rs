//! `aide decide answer`, in a terminal and without one.

use crate::support::terminal::Terminal;
use crate::support::{Folder, full, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

const TERM: &[(&str, &str)] = &[("TERM", "xterm-256color")];
/// The hint for a user who leaves.
fn left(folder: &Folder) -> String {
    format!("尚未提交，已填写的内容保留为草稿，执行 aide decide answer {} 继续", folder.session())
}
const END: &str = "答案还不完整，输入就已结束或无法识别";

/// A project with open questions and no server.
fn asked(questions: &Value) -> Folder {
    let folder = Folder::project();
    folder.submit(questions).kill();
    folder
}

/// `answer` with this on standard input.
fn draft(folder: &Folder) -> Value {
    serde_json::from_slice(&fs::read(folder.decision("draft.json")).unwrap()).unwrap()
}

#[test]
fn a_waiting_submit_ends_with_what_was_answered_in_the_terminal() {
    let folder = Folder::project();
    folder.write("task-now.md", "1\n2\n3\n4\n## 登录\n\n保持登录\n");
    let waiting = folder.submit(&full());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 2 项\n认证方式选择");
    assert!(terminal.screen().contains("7 │ 保持登录"), "{}", terminal.screen());
    // An arrow as a terminal sends it, then a space.
    terminal.press("\u{1b}[B ");
    terminal.until("› (•) 2  Session");
    terminal.press("n团队\r熟悉");
    terminal.until("\n熟悉");
    terminal.press("\u{1b}");
    terminal.until("备注: 团队");
    terminal.press("\r");
    terminal.until("第 2 项，共 2 项\n密码加密算法");
    // Held down, the key that leads to the end does not submit; pressed after another one, it does.
    terminal.press("r\r\r\r");
    terminal.until("› [ 提交决策 ]");
    terminal.until("同一个键按得太快");
    terminal.press("c\r");
    let (code, terminal) = terminal.finish();
    assert_eq!((code, terminal.screen().trim()), (Some(0), "✓ 决策已完成"));
    assert!(terminal.is_given_back());
    waiting.finish().succeeded("✓ 决策已完成\n");
    folder.result().succeeded(
        "{\"decisions\":[{\"id\":1,\"chosen\":\"session\",\"note\":\"团队\\n熟悉\"},{\"id\":2,\"chosen\":\"bcrypt\"}]}\n",
    );
    let meta = &folder.record()["_meta"];
    assert_eq!(meta["via"], "terminal");
    assert_eq!(
        (&meta["items"][0]["via"], &meta["items"][0]["followed_recommendation"]),
        (&json!("terminal"), &json!(false))
    );
    assert_eq!(meta["items"][1]["followed_recommendation"], true);
    assert!(!folder.decision("draft.json").exists());
}

#[test]
fn every_way_out_gives_the_terminal_back_and_keeps_a_draft() {
    for (what, expected) in [("q", 1), ("\u{3}", 130), ("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let folder = asked(&full());
        let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
        terminal.until("第 1 项，共 2 项\n认证方式选择");
        terminal.press("2");
        terminal.until("(•) 2  Session");
        match what {
            "TERM" => terminal.signal(Signal::TERM),
            "HUP" => terminal.signal(Signal::HUP),
            "INT" => terminal.signal(Signal::INT),
            key => terminal.press(key),
        }
        let (code, terminal) = terminal.finish();
        assert_eq!(code, Some(expected), "{what:?}");
        assert!(terminal.is_given_back(), "{what:?}");
        let told = String::from_utf8_lossy(&terminal.written).into_owned();
        assert!(told.contains(&left(&folder)), "{what:?}: {}", terminal.screen());
        assert_eq!(draft(&folder)["answers"][0]["options"], json!([1]), "{what:?}");
        assert_eq!(draft(&folder)["answers"][0]["via"], "terminal", "{what:?}");
        folder.result().failed_with(1, "✗ 尚无决策结果\n");
        // The next one goes on where this one stopped.
        let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
        terminal.until("第 2 项，共 2 项\n密码加密算法");
        assert!(terminal.screen().contains("已完成 1/2 项"));
    }
}

#[test]
fn who_leaves_without_an_answer_is_not_told_of_a_draft() {
    let folder = asked(&full());
    let mut terminal = Terminal::start(&folder, &["--lang", "en", "decide", "answer"], TERM);
    terminal.until("Question 1 of 2");
    terminal.press("q");
    let (code, terminal) = terminal.finish();
    let told = format!("→ nothing was answered; run aide decide answer {} to begin again", folder.session());
    assert_eq!((code, terminal.screen().replace('\n', " ").trim()), (Some(1), &*told));
}

#[test]
fn a_draft_that_cannot_be_kept_is_told_in_the_language_of_the_terminal() {
    let folder = asked(&full());
    fs::create_dir(folder.decision("draft.json")).unwrap();
    for (lang, told) in
        [("zh", "草稿无法保存: 不是普通文件:"), ("en", "Cannot save the draft: not a regular file:")]
    {
        let mut terminal = Terminal::start(&folder, &["--lang", lang, "decide", "answer"], TERM);
        terminal.until("( ) 2  Session");
        terminal.press("2");
        terminal.until(told);
    }
}

#[test]
fn it_follows_the_size_of_the_terminal() {
    let folder = asked(&full());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("n 备注");
    terminal.resize(15, 40);
    terminal.until("下方还有");
    assert!(!terminal.screen().contains("n 备注"), "{}", terminal.screen());
    terminal.resize(24, 80);
    terminal.until("n 备注");
}

#[test]
fn without_colours_there_are_none() {
    let folder = asked(&full());
    for (variables, expected) in [(TERM, true), (&[("TERM", "xterm"), ("NO_COLOR", "1")][..], false)] {
        let mut terminal = Terminal::start(&folder, &["decide", "answer"], variables);
        terminal.until("› ( ) 1  JWT");
        assert_eq!(terminal.has_colour(), expected, "{variables:?}");
    }
}

#[test]
fn who_is_faster_elsewhere_is_told_of() {
    let folder = Folder::project();
    let waiting = folder.submit(&minimal());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 1 项\n测试问题");
    terminal.press("2");
    terminal.until("(•) 2");
    assert_eq!(waiting.answer(&minimal_answers()).status, 200);
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(1));
    assert!(terminal.is_given_back());
    assert!(terminal.screen().contains("✗ 用户已完成决策"), "{}", terminal.screen());
    waiting.finish().succeeded("✓ 决策已完成\n");
    folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
}

#[test]
fn newer_questions_end_it_and_their_draft_is_their_own() {
    let folder = asked(&minimal());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 1 项\n测试问题");
    terminal.press("2");
    terminal.until("(•) 2");
    folder.submit(&full()).kill();
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(1));
    assert!(terminal.screen().contains("✗ 待定项已被新的提交取代"), "{}", terminal.screen());
}

#[test]
fn the_questions_are_sent_back_from_the_terminal() {
    let folder = Folder::project();
    let waiting = folder.submit(&full());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 2 项");
    terminal.press("b先问安全组");
    terminal.until("先问安全组");
    terminal.press("\u{1b}");
    terminal.until("› 涉及: 全部待定项");
    terminal.press("\r");
    let (code, terminal) = terminal.finish();
    assert_eq!((code, terminal.screen().trim()), (Some(0), "✓ 待定项已退回"));
    assert_eq!(waiting.finish().stderr, "⚠ 用户退回了待定项: 先问安全组\n");
    assert_eq!(folder.record()["returned"], json!({"message": "先问安全组"}));
}

#[test]
fn which_questions_were_sent_back_is_told() {
    let folder = Folder::project();
    let waiting = folder.submit(&full());
    assert_eq!(folder.answer("i\n先问安全组\n").code, Some(0));
    assert_eq!(waiting.finish().stderr, "⚠ 用户退回了待定项（只涉及第 1 项）: 先问安全组\n");
    let hint = "建议: 根据用户的说明修改待定项，再重新执行 aide decide submit '<json>'";
    let told = format!("✗ 用户已退回待定项: 先问安全组\n  {hint}\n  只涉及第 1 项\n");
    let waited = folder.aide(["decide", "wait"]).about_the_newest();
    assert_eq!((waited.code, &*waited.stderr), (Some(1), &*told));
    let english = folder.aide(["decide", "result", "--lang", "en"]);
    assert!(english.stderr.ends_with(" again\n  only question 1\n"), "{english:?}");
}

#[test]
fn a_terminal_that_cannot_draw_is_asked_line_by_line() {
    let folder = asked(&minimal());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], &[("TERM", "dumb")]);
    terminal.until("选择:");
    terminal.press("7\n");
    terminal.until("没有选项 7（1 至 2）");
    terminal.press("2\n");
    terminal.until("备注（可为空）:");
    terminal.press("\n");
    terminal.until("[y/N]:");
    terminal.press("y\n");
    let (code, terminal) = terminal.finish();
    assert_eq!(code, Some(0));
    assert!(terminal.screen().ends_with("✓ 决策已完成"), "{}", terminal.screen());
    assert!(!terminal.written.contains(&0x1b), "no escape sequence at all");
}

#[test]
fn without_a_terminal_it_reads_lines() {
    let folder = asked(&full());
    let finished = folder.answer("1\n\n2\n团队更熟悉\ny\n");
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
    insta::assert_snapshot!("answer_plain", finished.stdout);
    folder.result().succeeded(
        "{\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"argon2\",\"note\":\"团队更熟悉\"}]}\n",
    );
    assert_eq!(folder.record()["_meta"]["via"], "terminal");
}

#[test]
fn an_end_of_input_decides_nothing_and_keeps_a_draft() {
    let folder = asked(&full());
    for (input, kept) in
        [("", None), ("2\n", Some(json!([1]))), ("\n\n", Some(json!([1]))), ("1\n\n1\n\n", Some(json!([0])))]
    {
        let finished = folder.answer(input);
        let hint = match &kept {
            Some(_) => left(&folder),
            None => format!("尚未填写任何内容，执行 aide decide answer {} 重新开始", folder.session()),
        };
        let told = format!("✗ {END}\n  建议: {hint}\n");
        assert_eq!((finished.code, &*finished.stderr), (Some(1), &*told), "{input:?}");
        match kept {
            Some(kept) => assert_eq!(draft(&folder)["answers"][0]["options"], kept, "{input:?}"),
            None => assert!(!folder.decision("draft.json").exists()),
        }
    }
    // What was kept is gone on with.
    assert_eq!(folder.answer("\n\n\n\ny\n").code, Some(0));
    assert_eq!(
        folder.record()["output"]["decisions"],
        json!([{"id": 1, "chosen": "jwt"}, {"id": 2, "chosen": "bcrypt"}])
    );
}

#[test]
fn a_line_that_is_not_understood_never_answers_the_next_question() {
    let folder = asked(&full());
    for input in ["9\n2\n\n1\n\ny\n", "\n1\n\n1\n\ny\n", "1,2\n\n1\n\ny\n", "jwt\n"] {
        let finished = folder.answer(input);
        assert_eq!(
            (finished.code, finished.stderr.starts_with(&format!("✗ {END}"))),
            (Some(1), true),
            "{input:?}"
        );
        folder.result().failed_with(1, "✗ 尚无决策结果\n");
    }
    assert_eq!(folder.answer("1\n\n1\n\nn\n").code, Some(1), "without consent nothing is submitted");
    assert_eq!(folder.answer("b\n先问安全组\n").code, Some(0));
    assert_eq!(folder.record()["returned"]["message"], "先问安全组");
}

#[test]
fn several_answers_and_ones_own_are_typed() {
    let mut questions = full();
    questions["items"][0]["multiple"] = true.into();
    questions["items"][0]["allow_other"] = true.into();
    questions["items"][1]["required"] = false.into();
    let folder = asked(&questions);
    assert_eq!(folder.answer("3,1\nOAuth\n\n\n\ny\n").code, Some(0));
    folder.result().succeeded(
        "{\"decisions\":[{\"id\":1,\"chosen\":[\"jwt\"],\"other\":\"OAuth\"},{\"id\":2,\"chosen\":null}]}\n",
    );
}

/// Own words that were chosen and not written are no answer: not for the progress, and not for who goes on line by line.
#[test]
fn own_words_that_are_not_there_are_no_answer() {
    let mut questions = full();
    questions["items"][0]["allow_other"] = true.into();
    let folder = asked(&questions);
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 2 项\n认证方式选择");
    terminal.press("o");
    terminal.until("其他答案: 认证方式选择");
    assert!(terminal.screen().contains("已完成 0/2 项"), "{}", terminal.screen());
    terminal.press("\u{3}");
    assert_eq!(terminal.finish().0, Some(130));
    let told = folder.answer("").stdout;
    assert!(told.ends_with("选择:\n") && !told.contains("回车保留"), "{told}");
    // Enter writes them.
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("第 1 项，共 2 项\n认证方式选择");
    terminal.press("\r");
    terminal.until("其他答案: 认证方式选择");
}

#[test]
fn a_line_that_ends_with_a_backslash_goes_on_in_the_next_one() {
    let mut questions = full();
    questions["items"][0]["allow_other"] = true.into();
    let folder = asked(&questions);
    let help = folder.answer("?\n").stdout;
    for line in ["1,3 或 1-3\n", "选项的文字   按文字选择\n", "… \\          写在行末: 内容在下一行继续\n"]
    {
        assert!(help.contains(line), "{help}");
    }
    let finished = folder.answer("3\n第一行\\\n\\\n- 第三行\n注\\\nC:\\\\\n1\n\ny\n");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let answered = &folder.record()["output"]["decisions"][0];
    assert_eq!((&answered["other"], &answered["note"]), (&json!("第一行\n\n- 第三行"), &json!("注\nC:\\")));
}

#[test]
fn options_are_typed_by_their_words_or_as_a_range() {
    let mut questions = full();
    questions["items"][0]["multiple"] = true.into();
    let folder = asked(&questions);
    assert_eq!(folder.answer("1-2\n\nArgon2\n\ny\n").code, Some(0));
    let decisions = &folder.record()["output"]["decisions"];
    assert_eq!(decisions[0]["chosen"].as_array().unwrap().len(), 2, "{decisions}");
    assert_eq!(decisions[1]["chosen"], "argon2");
}

#[test]
fn where_nothing_is_open_it_says_so() {
    let folder = Folder::project();
    folder.aide(["decide", "answer"]).failed_with(1, "✗ 未找到待定项数据\n");
    folder.submit(&minimal()).kill();
    folder
        .aide(["decide", "answer", "2020-01-01T00-00-00"])
        .failed_with(1, "✗ 没有此会话: 2020-01-01T00-00-00\n");
    let session = folder.session();
    assert_eq!(folder.answer("1\n\ny\n").code, Some(0));
    folder
        .aide(["decide", "answer"])
        .failed(1, "✗ 没有等待决策的待定项\n  建议: 执行 aide decide show 查看最近一组的结果\n");
    folder
        .aide(["decide", "answer", &session])
        .failed(1, "✗ 用户已完成决策\n  建议: 执行 aide decide result 查看\n");
}

#[test]
fn clean_asks_where_there_is_a_terminal() {
    let folder = asked(&minimal());
    let record = json!({"input": minimal(), "cancelled": true, "completed_at": "2020-01-01T10:00:00+00:00"});
    folder.write(".aide/decisions/2020-01-01T10-00-00.json", record.to_string());
    for (answer, code, gone) in [("\n", 1, false), ("n\n", 1, false), ("y\n", 0, true)] {
        let mut terminal = Terminal::start(&folder, &["decide", "clean", "--keep", "0"], TERM);
        terminal.until("永久删除这 1 份记录吗？[y/N]");
        assert!(terminal.screen().contains("2020-01-01T10-00-00  已取消"), "{}", terminal.screen());
        terminal.press(answer);
        assert_eq!(terminal.finish().0, Some(code), "{answer:?}");
        assert_eq!(!folder.decision("2020-01-01T10-00-00.json").exists(), gone, "{answer:?}");
    }
}

/// A question that is answered in words, and one that is confirmed.
fn kinds() -> Value {
    json!({"task": "t", "source": "s", "items": [
        {"id": 1, "title": "名称", "kind": "text"},
        {"id": 2, "title": "发布", "kind": "confirm", "options": [
            {"value": "go", "label": "同意发布", "description": "第一行\n第二行\u{1b}[31m", "pros": ["快"]}]},
    ]})
}

const KINDS_ANSWERED: &str =
    "{\"decisions\":[{\"id\":1,\"chosen\":null,\"other\":\"q\"},{\"id\":2,\"chosen\":\"go\"}]}\n";

#[test]
fn every_kind_is_answered_line_by_line() {
    let folder = asked(&kinds());
    let answered = folder.answer("o\nq\n\n1\n\ny\n");
    assert!(answered.stdout.contains("   第一行\n   第二行"), "{}", answered.stdout);
    assert!(!answered.stdout.contains('\u{1b}'), "{}", answered.stdout);
    folder.result().succeeded(KINDS_ANSWERED);
}

#[test]
fn an_answer_in_words_is_the_line_itself() {
    let folder = asked(&kinds());
    folder.answer("1. Aster 与 Birch\n\n1\n\ny\n");
    assert_eq!(folder.record()["output"]["decisions"][0]["other"], "1. Aster 与 Birch");
}

#[test]
fn every_kind_is_answered_on_the_whole_screen() {
    let folder = asked(&kinds());
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    // What is typed is the answer, and no command.
    terminal.until("直接输入您的回答");
    terminal.press("q");
    terminal.until("回答: 名称");
    terminal.press("\u{1b}");
    terminal.until("› 回答: q");
    terminal.press("\r");
    terminal.until("[ ] 1  同意发布");
    assert!(terminal.screen().contains("第二行"), "{}", terminal.screen());
    terminal.press(" ");
    terminal.until("[x] 1  同意发布");
    terminal.press("\rc\r");
    assert_eq!(terminal.finish().0, Some(0));
    folder.result().succeeded(KINDS_ANSWERED);
}

#[test]
fn what_an_option_means_is_shown_and_exported() {
    let folder = asked(&kinds());
    let shown = folder.aide(["decide", "show"]);
    assert!(shown.stdout.contains("1. 名称: 自行填写"), "{}", shown.stdout);
    assert!(shown.stdout.contains("同意发布: 第一行"), "{}", shown.stdout);
    folder.answer("Aster\n\n1\n\ny\n");
    let exported = folder.aide(["decide", "export"]);
    assert!(exported.stdout.contains("回答:\n\n> Aster"), "{}", exported.stdout);
    assert!(exported.stdout.contains("\n  第一行\n  第二行"), "{}", exported.stdout);
}

#[test]
fn lines_of_contexts_words_and_notes_stay_lines() {
    let folder = Folder::project_on_any_port();
    let running = folder.submit(&json!({"task": "t", "source": "s", "items": [{
        "id": 1, "title": "名称", "context": "现状: 单体\n\u{1b}[2J目标: 拆分\n", "allow_other": true,
        "options": [{"value": "a", "label": "甲"}, {"value": "b", "label": "乙"}],
    }]}));
    let shown = folder.aide(["decide", "show"]).stdout;
    let (_, questions) = shown.split_once('\n').unwrap();
    assert_eq!(questions, "  1. 名称: 甲 / 乙\n     现状: 单体\n       \\u{1b}[2J目标: 拆分\n");
    let session = folder.session();
    running.answer(
        &json!({"decisions": [{"id": 1, "other": "第一行\n\n  2. 伪造: 乙", "note": "因为\r\n如此"}]}),
    );
    assert_eq!(running.finish().code, Some(0));
    let shown = folder.aide(["decide", "show", &session]).stdout;
    let (_, answers) = shown.split_once('\n').unwrap();
    assert!(
        answers.starts_with("  1. 名称 → 第一行（接口，")
            && answers.ends_with("）\n\n         2. 伪造: 乙\n     备注: 因为\n       如此\n"),
        "{answers}"
    );
    let english = folder.aide(["--lang", "en", "decide", "show", &session]).stdout;
    assert!(
        english.contains("→ 第一行 (API, ") && english.contains(")\n\n         2. 伪造: 乙\n"),
        "{english}"
    );
}

/// A question that is answered by files.
fn files() -> Value {
    json!({"task": "t", "source": "s", "items": [
        {"id": 3, "title": "附上标志", "kind": "files", "names": ["*.pdf", "logo.svg"], "max": 2, "max_bytes": 10},
    ]})
}

const ABC: &str = "{\"name\":\"a.pdf\",\"sha256\":\
                   \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\"size\":3}";

/// The names in the folder of attached files of item 3.
fn kept(folder: &Folder, session: &str) -> Vec<String> {
    let files = fs::read_dir(folder.decision(&format!("files/{session}/3"))).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_part_of_a_list_that_is_no_option_is_named() {
    let mut questions = minimal();
    questions["items"][0]["multiple"] = true.into();
    let folder = asked(&questions);
    for (list, told) in [("a, zz", "无法识别: zz"), ("1,7", "没有选项 7（1 至 2）"), ("zz", "无法识别: zz")]
    {
        let answered = folder.answer(&format!("{list}\n"));
        assert_eq!(answered.code, Some(1), "{answered:?}");
        assert!(answered.stdout.contains(&format!("\n{told}\n")), "{list}: {}", answered.stdout);
    }
}

#[test]
fn files_are_attached_by_their_paths_line_by_line() {
    let folder = asked(&files());
    folder.write("a.pdf", "abc");
    folder.write("large.pdf", "0123456789+");
    let shown = folder.aide(["decide", "show"]);
    assert!(
        shown.stdout.contains("附上标志: 1–2 个附件；*.pdf、logo.svg；每个不超过 10 B"),
        "{}",
        shown.stdout
    );
    // What cannot be attached is the end of a pipe: what comes next was meant for another place.
    for (path, why) in [
        ("missing.pdf", "文件不存在: missing.pdf"),
        ("large.pdf", "文件过大，每个附件不能超过 10 B"),
        (".aide/config.toml", "只接受以下名称的文件: *.pdf、logo.svg"),
        (".aide", "读写失败: .aide"),
        ("-1", "无法识别: -1"),
    ] {
        let answered = folder.answer(&format!("{path}\n"));
        assert_eq!(answered.code, Some(1), "{path}");
        assert!(answered.stdout.contains(why), "{path}: {}", answered.stdout);
    }
    folder.write("logo.svg", "");
    let answered = folder.answer("./logo.svg\n'a.pdf'\n-1\n\nn\ny\n");
    assert!(answered.stdout.contains("已添加 a.pdf (3 B)"), "{}", answered.stdout);
    folder.result().succeeded(&format!(
        "{{\"decisions\":[{{\"id\":3,\"chosen\":null,\"files\":[{ABC}],\"note\":\"n\"}}]}}\n"
    ));
    let session = folder.session();
    assert_eq!(kept(&folder, &session), ["a.pdf"]);
    assert_eq!(fs::read(folder.decision(&format!("files/{session}/3/a.pdf"))).unwrap(), b"abc");
    let shown = folder.aide(["decide", "show"]);
    assert!(shown.stdout.contains("a.pdf (3 B)"), "{}", shown.stdout);
    let exported = folder.aide(["decide", "export"]);
    assert!(exported.stdout.contains("回答:\n\n- a.pdf (3 B, sha256 ba7816bf"), "{}", exported.stdout);
    let adr = folder.aide(["decide", "export", "--format", "adr", "--dir", "adr"]);
    assert_eq!(adr.code, Some(0), "{}", adr.stderr);
    let adr = fs::read_dir(folder.join("adr")).unwrap().next().unwrap().unwrap();
    let adr = fs::read_to_string(adr.path()).unwrap();
    assert!(adr.contains("It was answered by files:\n\n- a.pdf (3 B, sha256 ba7816bf"), "{adr}");
    assert!(adr.contains("status: \"accepted\"") && !adr.contains("Considered"), "{adr}");
}

#[test]
fn s7_a_file_named_on_the_command_line_is_the_answer() {
    let folder = asked(&json!({"task": "t", "source": "s", "items": [
        {"id": 1, "title": "agent_a", "kind": "files", "names": ["requirements.md"]},
        {"id": 2, "title": "agent_b", "kind": "files", "names": ["feedback_*.json"], "max": 2},
    ]}));
    let session = folder.session();
    folder.write("requirements.md", "abc");
    folder.write("feedback_x.json", "{}");
    folder.write("else.txt", "other");
    let refused = |arguments: &[&str], what: &str, hint: &str| {
        let told = folder.aide(["decide", "answer"].iter().chain(arguments));
        assert_eq!(told.code, Some(1), "{arguments:?}");
        assert!(told.stderr.contains(what) && told.stderr.contains(hint), "{}", told.stderr);
        // None is attached where one has no place.
        assert!(!folder.decision(&format!("files/{session}/1/requirements.md")).exists());
    };
    let unwanted = "没有待定项需要这个名称的文件: else.txt";
    let both = ["--provide", "requirements.md", "--provide", "else.txt"];
    refused(&both, unwanted, "需要的文件: requirements.md、feedback_*.json");
    refused(&["--provide", "else.txt:agent_b"], unwanted, "需要的文件: feedback_*.json");
    refused(&["--provide", "else.txt:agent_c"], "没有待定项为 agent_c 请求附件: else.txt", "去掉 :AGENT");
    refused(&["--provide", "missing/requirements.md"], "文件不存在: missing/requirements.md", "草稿");
    // `else.txt` comes under the name that is asked for; what is still missing is asked for as ever, and this input ends.
    let begun = folder.aide(["decide", "answer", &session, "--provide", "else.txt:agent_a"]);
    assert_eq!(begun.code, Some(1), "{}", begun.stderr);
    assert_eq!(fs::read(folder.decision(&format!("files/{session}/1/requirements.md"))).unwrap(), b"other");
    let arguments = ["--provide", "requirements.md:agent_a", "--provide", "feedback_x.json"];
    let answered = folder.aide(["decide", "answer", &session].iter().chain(&arguments));
    answered.succeeded("→ 已添加 requirements.md (3 B)\n→ 已添加 feedback_x.json (2 B)\n✓ 决策已完成\n");
    assert_eq!(fs::read(folder.decision(&format!("files/{session}/1/requirements.md"))).unwrap(), b"abc");
    assert_eq!(fs::read(folder.decision(&format!("files/{session}/2/feedback_x.json"))).unwrap(), b"{}");
    let record = folder.record();
    let files: Vec<_> = [0, 1].map(|item| &record["output"]["decisions"][item]["files"]).to_vec();
    assert_eq!(
        (&files[0][0]["name"], &files[0][0]["size"], files[0].as_array().unwrap().len()),
        (&json!("requirements.md"), &json!(3), 1)
    );
    assert_eq!(files[1][0]["name"], "feedback_x.json");
    assert_eq!(record["_meta"]["via"], "terminal");
}

#[test]
fn s7_what_else_is_asked_follows_the_file_and_is_never_taken_from_a_draft_unseen() {
    let folder = asked(&json!({"task": "t", "source": "s", "items": [
        {"id": 1, "title": "file", "kind": "files", "names": [".env.staging"]},
        {"id": 2, "title": "why", "kind": "text"},
    ]}));
    folder.write(".env.staging", "A=1");
    // The words are drafted, and the input ends.
    assert_eq!(folder.answer("j\nbecause\n").code, Some(1));
    assert_eq!(draft(&folder)["answers"][0]["other"], "because");
    let begun = folder.aide(["decide", "answer", "--provide", ".env.staging"]);
    assert_eq!(begun.code, Some(1), "{}", begun.stdout);
    assert!(begun.stderr.contains(END), "{}", begun.stderr);
    let answered = folder.answer("\n\n\n\ny\n");
    assert_eq!(answered.code, Some(0), "{}{}", answered.stdout, answered.stderr);
    let decisions = &folder.record()["output"]["decisions"];
    assert_eq!(
        (&decisions[0]["files"][0]["name"], &decisions[1]["other"]),
        (&json!("env.staging"), &json!("because"))
    );
    // No item asks for files.
    let folder = asked(&full());
    let refused = folder.aide(["decide", "answer", "--provide", "x"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("没有待定项需要附件: x"), "{}", refused.stderr);
}

#[test]
fn files_are_attached_and_removed_on_the_whole_screen() {
    let folder = asked(&files());
    folder.write("a.pdf", "abc");
    folder.write("b.pdf", "b");
    let mut terminal = Terminal::start(&folder, &["decide", "answer"], TERM);
    terminal.until("添加附件（按空格键或 Enter 输入路径）");
    assert!(terminal.screen().contains("1–2 个附件"), "{}", terminal.screen());
    terminal.press("\rb.pdf");
    terminal.until("附件的路径（Enter 添加）: 附上标志");
    terminal.press("x\r");
    terminal.until("文件不存在: b.pdfx");
    terminal.press("\u{7f}\r");
    terminal.until("● b.pdf (1 B)");
    terminal.press(" a.pdf\r");
    terminal.until("● a.pdf (3 B)");
    // Back up to the first one, which goes.
    terminal.press("\u{1b}[A\u{1b}[Ax");
    terminal.press("\r");
    terminal.until("→ a.pdf\n");
    terminal.press("c\r");
    assert_eq!(terminal.finish().0, Some(0));
    folder
        .result()
        .succeeded(&format!("{{\"decisions\":[{{\"id\":3,\"chosen\":null,\"files\":[{ABC}]}}]}}\n"));
    assert_eq!(kept(&folder, &folder.session()), ["a.pdf"]);
}

#[test]
fn what_was_attached_goes_with_the_record() {
    let folder = asked(&files());
    folder.write("a.pdf", "abc");
    folder.answer("a.pdf\n\n\ny\n");
    let session = folder.session();
    folder.submit(&kinds()).kill();
    let cleaned = folder.aide(["decide", "clean", "--keep", "0", "--yes"]);
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stderr);
    assert!(!folder.decision(&format!("files/{session}")).exists());
    assert!(fs::read_to_string(folder.join(".aide/.gitignore")).unwrap().contains("\ndecisions/files/\n"));
}
