use super::*;
use proptest::prelude::*;

/// The pieces of all lines with their classes, each as `class:text`.
fn pieces(file: &str, text: &str) -> Vec<String> {
    let html = highlight(file, text, 1, usize::MAX).join("\n");
    html.split("<span class=\"")
        .skip(1)
        .map(|piece| {
            let (class, rest) = piece.split_once("\">").unwrap();
            format!("{class}:{}", unescape(rest.split_once("</span>").unwrap().0))
        })
        .collect()
}

fn unescape(html: &str) -> String {
    html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// What a reader sees of `html`. Only the tags written here are taken away: any other one stays, and is found.
fn text_of(html: &str) -> String {
    let mut bare = html.replace("</span>", "");
    for class in ["com", "key", "str", "num", "nam"] {
        bare = bare.replace(&format!("<span class=\"{class}\">"), "");
    }
    assert!(!bare.contains(['<', '>', '"']), "{html}");
    unescape(&bare)
}

#[test]
fn each_language_has_its_colours() {
    for (file, text, expected) in [
        (
            "a/b.rs",
            "fn f<'a>(x: &'a str) -> Vec<u8> { g!(b'\\'', '中', r#\"a\"b\"#, 1_0.5) } // \"",
            vec![
                "key:fn",
                "key:str",
                "nam:Vec",
                "key:u8",
                "nam:g",
                "str:'\\''",
                "str:'中'",
                "str:r#\"a\"b\"#",
                "num:1_0.5",
                "com:// \"",
            ],
        ),
        ("f.rs", "/* a /* b */ c */ let x", vec!["com:/* a /* b */ c */", "key:let"]),
        ("f.c", "/* a /* b */ int x", vec!["com:/* a /* b */", "key:int"]),
        ("f.h", "#include \"a.h\"", vec!["key:#include", "str:\"a.h\""]),
        (
            "f.py",
            "@dec\ndef f(x): # don't\n  '''a\n\"b'''\n  return f'{x}'",
            vec![
                "key:@dec",
                "key:def",
                "nam:f",
                "com:# don't",
                "str:'''a",
                "str:\"b'''",
                "key:return",
                "str:'{x}'",
            ],
        ),
        (
            "f.tsx",
            "const a = x / y / z, b = /[\"/]'/g, c = `a\n${b}`;",
            vec!["key:const", "str:/[\"/]'/g", "str:`a", "str:${b}`"],
        ),
        ("f.go", "var s = `a\\`", vec!["key:var", "str:`a\\`"]),
        ("f.sql", "SELECT 'it''s' -- x", vec!["key:SELECT", "str:'it'", "str:'s'", "com:-- x"]),
        (
            "f.json",
            "{\"a\": \"http://x\", \"b\": [1.5, null]}",
            vec!["nam:\"a\"", "str:\"http://x\"", "nam:\"b\"", "num:1.5", "key:null"],
        ),
        ("Cargo.toml", "a.b-c = 'x\\' # y", vec!["nam:a.b-c", "str:'x\\'", "com:# y"]),
        ("f.yml", "- url: http://x#y # z\n  text: don't", vec!["nam:url", "com:# z", "nam:text"]),
        ("f.sh", "echo ${#a} 'b' # c", vec!["key:echo", "str:'b'", "com:# c"]),
        ("f.lua", "--[[ a\nb ]] local x -- c", vec!["com:--[[ a", "com:b ]]", "key:local", "com:-- c"]),
        (
            "f.html",
            "<!-- <a> --><a href='x'>don't</a> & 1 < 2",
            vec!["com:<!-- <a> -->", "key:<a", "nam:href", "str:'x'", "key:</a"],
        ),
        (
            "README.md",
            "# A\nb `c` d`\n```\n# e\n```\nf <!-- g -->",
            vec!["key:# A", "str:`c`", "str:```", "str:# e", "str:```", "com:<!-- g -->"],
        ),
        ("Dockerfile", "FROM a AS b", vec!["key:FROM", "key:AS"]),
        ("notes.txt", "let x = \"y\" // z", vec![]),
    ] {
        assert_eq!(pieces(file, text), expected, "{file}");
    }
}

#[test]
fn an_excerpt_knows_what_began_above_it() {
    let text = "/* 1\n2\n3 */ let a;\nlet b;\n";
    assert_eq!(
        highlight("f.rs", text, 2, 2),
        ["<span class=\"com\">2</span>", "<span class=\"com\">3 */</span> <span class=\"key\">let</span> a;"]
    );
    assert_eq!(highlight("f.rs", text, 4, 9), ["<span class=\"key\">let</span> b;"]);
    assert_eq!(highlight("f.txt", "a\r\nb\r", 1, 9), ["a", "b"], "as the excerpt itself is cut");
    assert_eq!(highlight("f.rs", text, 5, 1), Vec::<String>::new());
    assert_eq!(highlight("f.rs", text, u64::MAX, 1), Vec::<String>::new());
}

#[test]
fn a_line_that_nobody_wrote_by_hand_stays_plain() {
    let long = "let a;".repeat(LONG_LINE);
    let text = format!("let b;\n{long}\nlet c;");
    let html = highlight("f.rs", &text, 1, 3);
    assert_eq!((html[0].matches("<span").count(), html[2].matches("<span").count()), (1, 1));
    assert_eq!(html[1], long);
}

#[test]
fn what_began_far_above_is_not_searched_for() {
    let text = format!("/*\n{}let a;\n", "x\n".repeat(LOOK_BACK));
    let lines = u64::try_from(text.lines().count()).unwrap();
    assert_eq!(highlight("f.rs", &text, lines, 1), ["<span class=\"key\">let</span> a;"]);
}

/// Every byte is looked at a few times at most, whatever it is.
/// With a search that begins anew at every quote, this would take hours.
#[test]
fn no_text_takes_more_than_one_pass() {
    for (file, piece) in [
        ("f.py", "'\\"),
        ("f.js", "=/["),
        ("f.js", "\"\\"),
        ("f.rs", "/*"),
        ("f.rs", "'r#"),
        ("f.html", "<a \""),
        ("f.md", "`<!-"),
        ("f.lua", "[["),
        ("f.json", "a    "),
    ] {
        let line = piece.repeat((256 << 10) / piece.len());
        assert_eq!(highlight(file, &format!("{line}\nlet a;\n"), 1, 1), [escaped(&line)], "{file}");
    }
}

fn escaped(text: &str) -> String {
    let mut html = String::new();
    escape_into(&mut html, text);
    html
}

/// Every kind of scanner.
const FILES: &[&str] = &[
    "f.rs", "f.ts", "f.py", "f.go", "f.c", "f.sh", "f.sql", "f.json", "f.yaml", "f.ini", "f.rb", "f.hs",
    "f.lua", "f.php", "f.css", "f.html", "f.md", "f.txt",
];

/// What scanners stumble over, in any order.
fn source() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(vec![
        "\"",
        "'",
        "`",
        "\\",
        "/",
        "/*",
        "*/",
        "//",
        "#",
        "r#",
        "\"\"\"",
        "'''",
        "<!--",
        "-->",
        "<",
        ">",
        "&",
        "</",
        "{-",
        "[[",
        "--",
        "```",
        "\n",
        "\r\n",
        "\r",
        " ",
        "=",
        ":",
        "let",
        "a",
        "1.5",
        "中",
        "é",
        "🎉",
        "\u{301}",
        "\0",
        "<span class=\"com\">",
        "</span>",
        "&lt;",
        "=begin",
        "=end",
        "@",
        "$",
    ]);
    let noise = any::<char>().prop_map(String::from);
    let piece = prop_oneof![9 => marks.prop_map(str::to_owned), 1 => noise];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// What the page says is what the file says, whatever language it is taken for and whichever lines are shown.
    #[test]
    fn the_characters_are_those_of_the_file(text in source(), first in 1..6_u64, count in 0..8_usize) {
        let skipped = usize::try_from(first).unwrap() - 1;
        let bare = text.strip_suffix('\n').unwrap_or(&text);
        let lines: Vec<&str> = if text.is_empty() { Vec::new() } else {
            bare.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
        };
        let expected: Vec<&str> = lines.into_iter().skip(skipped).take(count).collect();
        for file in FILES {
            let html = highlight(file, &text, first, count);
            let shown: Vec<String> = html.iter().map(|line| text_of(line)).collect();
            prop_assert_eq!(&shown, &expected, "{}", file);
        }
    }
}
