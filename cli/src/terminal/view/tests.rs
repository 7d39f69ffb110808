//! What is seen, at several sizes and in both languages.

use super::super::form::{Form, Key};
use super::super::text::columns;
use super::{Frame, View};
use model::{AnswerSheet, Questions};
use ratatui_core::layout::Size;
use serde_json::{Value, json};
use store::Excerpt;
use texts::Lang;

fn parse(document: &Value) -> Questions {
    Questions::parse(document.to_string().as_bytes()).unwrap()
}

/// One item with all there is, one with all that can be asked for, and one of few words.
fn questions() -> Questions {
    parse(&json!({
        "task": "实现用户认证模块",
        "source": "task-now.md",
        "items": [
            {
                "id": 1,
                "title": "认证方式选择",
                "location": {"file": "task-now.md", "start": 5, "end": 7},
                "context": "需要选择认证方式。The task does not say how a login is **kept**, and for how long.\n\n- 移动端\n- web",
                "options": [
                    {"value": "jwt", "label": "JWT", "score": 85, "pros": ["无状态，易于横向扩展，不依赖共享的会话存储"], "cons": ["撤销复杂"]},
                    {"value": "session", "label": "Session", "score": 70, "pros": ["简单"], "cons": ["有状态"]},
                ],
                "recommend": "jwt",
            },
            {
                "id": 2,
                "title": "Which clients are supported?",
                "options": [{"value": "web", "label": "Web"}, {"value": "ios", "label": "iOS"}, {"value": "cli", "label": "CLI"}],
                "multiple": true, "min": 1, "max": 2, "allow_other": true, "required": false,
            },
            {
                "id": 7,
                "title": "密码加密算法",
                "options": [{"value": "bcrypt", "label": "bcrypt"}, {"value": "argon2", "label": "argon2"}],
            },
        ],
    }))
}

fn excerpts() -> Vec<Option<Excerpt>> {
    let lines = ["## 登录", "", "    用户登录后保持登录状态"].map(str::to_owned).to_vec();
    vec![Some(Excerpt { first_line: 5, lines, omitted: 0 }), None, None]
}

/// The screen after some keys, with `|` around it; what is typed is at `▮`.
fn screen(lang: Lang, size: (u16, u16), questions: &Questions, keys: &str) -> String {
    let excerpts = excerpts();
    let view = View::new(lang, &excerpts);
    let size = Size { width: size.0, height: size.1 };
    let mut form = Form::new(questions.input(), &AnswerSheet::default());
    let mut frame = draw(&view, &mut form, size);
    for c in keys.chars() {
        form.key(match c {
            '⏎' => Key::Enter,
            '⎋' => Key::Escape,
            '↓' => Key::Down,
            '→' => Key::Right,
            '⇟' => Key::PageDown,
            c => Key::Char(c),
        });
        frame = draw(&view, &mut form, size);
    }
    let mut text = format!("{}×{} {keys}\n", size.width, size.height);
    for row in 0..usize::from(size.height) {
        let shown = frame.lines.get(row).map(ToString::to_string).unwrap_or_default();
        text += &format!("|{shown}{}|\n", " ".repeat(usize::from(size.width) - columns(&shown)));
    }
    if let Some(cursor) = frame.cursor {
        text += &format!("cursor at {}, {}\n", cursor.x, cursor.y);
    }
    text
}

fn draw(view: &View<'_>, form: &mut Form<'_>, size: Size) -> Frame {
    let frame = view.draw(form, size);
    form.drawn(frame.viewport);
    assert!(frame.lines.len() <= usize::from(size.height));
    for line in &frame.lines {
        assert!(line.width() <= usize::from(size.width), "{line:?}");
    }
    frame
}

macro_rules! assert_screens {
    ($name:expr, $screens:expr) => {
        insta::with_settings!({ snapshot_path => "../../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, $screens.join("\n"));
        });
    };
}

#[test]
fn the_form_in_chinese() {
    let questions = questions();
    let at = |size, keys| screen(Lang::Zh, size, &questions, keys);
    assert_screens!(
        "terminal_zh",
        [
            at((80, 24), ""),
            at((80, 24), "↓ n团队更熟悉⎋"),
            at((80, 24), "?"),
            at((40, 15), ""),
            at((40, 15), "↓"),
            at((40, 15), "⇟⇟"),
            at((40, 15), "⏎"),
            at((40, 15), "1⏎13"),
            at((40, 15), "1⏎132"),
            at((40, 15), "1⏎1o自己的\n话"),
            at((40, 15), "1⏎1o自己的⎋c"),
            at((40, 15), "b先问⏎安全组"),
            at((40, 15), "b先问安全组⎋"),
            at((19, 5), ""),
        ]
    );
}

#[test]
fn the_form_in_english() {
    let questions = questions();
    let at = |size, keys| screen(Lang::En, size, &questions, keys);
    assert_screens!(
        "terminal_en",
        [
            at((80, 24), ""),
            at((80, 24), "?"),
            at((80, 24), "1⏎"),
            at((80, 24), "a"),
            at((80, 24), "1→→2nbecause it is known⎋⏎"),
            at((80, 24), "b"),
            at((80, 24), "iwhy?⎋"),
            at((132, 43), ""),
        ]
    );
}

#[test]
fn nothing_an_agent_writes_reaches_the_terminal_as_it_is() {
    let evil = "x\u{1b}[2J\u{9b}1m\u{202e}y\r\u{7}";
    let questions = parse(&json!({
        "task": evil, "source": evil,
        "items": [{
            "id": 1, "title": evil, "context": evil, "location": {"file": evil, "start": 1, "end": 1},
            "options": [{"value": "a", "label": evil, "pros": [evil], "cons": [evil]}, {"value": "b", "label": "B"}],
        }],
    }));
    let excerpts = vec![Some(Excerpt { first_line: 1, lines: vec![evil.to_owned()], omitted: 1 })];
    let view = View::new(Lang::En, &excerpts);
    let mut form = Form::new(questions.input(), &AnswerSheet::default());
    for key in ["1", "n", "⎋", "c", "b", "⎋"] {
        form.key(if key == "⎋" { Key::Escape } else { Key::Char(key.chars().next().unwrap()) });
        form.key(Key::Paste(evil.to_owned()));
        let frame = draw(&view, &mut form, Size { width: 80, height: 50 });
        for line in &frame.lines {
            let shown = line.to_string();
            assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
        }
    }
}

/// What the last line of the screen offers.
fn keys_offered(questions: &Questions, keys: &str) -> String {
    let screen = screen(Lang::En, (100, 24), questions, keys);
    screen.lines().rfind(|line| line.starts_with('|')).unwrap().trim_matches(['|', ' ']).to_owned()
}

#[test]
fn a_key_is_offered_for_what_it_does() {
    let questions = parse(&json!({
        "task": "t", "source": "s",
        "items": [
            {"id": 1, "title": "Why?", "kind": "text"},
            {"id": 2, "title": "More?", "kind": "text", "required": false},
            {"id": 3, "title": "A or B?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
            {"id": 4, "title": "The logo", "kind": "files", "names": ["*.png"]},
        ],
    }));
    // Enter writes what is missing, and goes on where nothing is.
    assert_eq!(keys_offered(&questions, ""), "→ skip  ← back  ? help  Esc other keys");
    assert!(screen(Lang::En, (100, 24), &questions, "").contains("› Type your answer "));
    assert!(keys_offered(&questions, "⎋").starts_with("Space/Enter write  "));
    assert!(keys_offered(&questions, "⏎x⎋").starts_with("Space write  Enter next  "));
    assert!(keys_offered(&questions, "→⎋").starts_with("Space write  Enter next  "));
    let optional = screen(Lang::En, (100, 24), &questions, "→⎋");
    assert!(optional.contains("› Press Space to write "), "{optional}");
    assert!(keys_offered(&questions, "→→→").starts_with("Space/Enter attach  "));
    // Nothing is recommended.
    assert!(!keys_offered(&questions, "→→").contains("recommended"));
    assert!(!keys_offered(&questions, "⎋c").contains("recommended"));
    assert!(keys_offered(&self::questions(), "").contains("r recommended"));
    assert!(keys_offered(&self::questions(), "c").contains("a recommended"));
}

#[test]
fn what_a_key_has_met_is_read_to_its_end() {
    let questions = questions();
    let view = View::new(Lang::En, &[None, None, None]);
    let mut form = Form::new(questions.input(), &AnswerSheet::default());
    form.not_attached("Only files with these names are accepted: contract_*.pdf, annex_*.pdf".to_owned());
    let frame = draw(&view, &mut form, Size { width: 40, height: 15 });
    let shown: Vec<_> = frame.lines.iter().map(ToString::to_string).collect();
    let text = shown.join(" ");
    let told = text.split_once("! ").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.starts_with("Only files with these names are accepted: contract_*.pdf, annex_*.pdf"),
        "{text}"
    );
}

#[test]
fn any_size_is_drawn() {
    let questions = questions();
    for columns in 1..60 {
        for rows in 1..20 {
            screen(Lang::Zh, (columns, rows), &questions, "↓ n认证x⎋vb词⎋?");
        }
    }
}

#[test]
fn what_the_cursor_is_on_is_seen() {
    let options: Vec<_> = (1..=40)
        .map(
            |number| json!({"value": number.to_string(), "label": format!("option {number}"), "pros": ["p"]}),
        )
        .collect();
    let questions =
        parse(&json!({"task": "t", "source": "s", "items": [{"id": 1, "title": "t", "options": options}]}));
    let view = View::new(Lang::En, &[]);
    let size = Size { width: 40, height: 12 };
    let mut form = Form::new(questions.input(), &AnswerSheet::default());
    draw(&view, &mut form, size);
    let keys = [vec![Key::Down; 45], vec![Key::Up; 45]].concat();
    for key in keys {
        form.key(key);
        let frame = draw(&view, &mut form, size);
        let focus = format!("› ( ) {}  option {}", form.row() + 1, form.row() + 1);
        assert!(frame.lines.iter().any(|line| line.to_string() == focus), "{focus}");
    }
}
