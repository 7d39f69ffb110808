//! What comments, texts and keywords look like in which language.

/// How a file is scanned.
#[derive(Debug, Clone, Copy)]
pub(super) enum Language {
    Code(&'static Code),
    Markup,
    Markdown,
}

/// A programming language, as far as colours need it.
#[derive(Debug)]
pub(super) struct Code {
    /// Each begins a comment up to the end of the line.
    pub(super) line_comments: &'static [&'static str],
    /// Such a comment begins a line or follows a space.
    pub(super) spaced_comments: bool,
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) nested_comments: bool,
    /// A longer opening stands before a shorter one with which it begins.
    pub(super) quotes: &'static [Quote],
    /// Rust's `r#"…"#`.
    pub(super) raw_strings: bool,
    /// Rust's `'a`, which is no beginning of `'a'`.
    pub(super) lifetimes: bool,
    /// A slash may begin a regular expression.
    pub(super) regexes: bool,
    /// A word before `!` is called.
    pub(super) macros: bool,
    /// Words that are called, or begin with a capital letter, are names.
    pub(super) names: bool,
    /// Between spaces.
    pub(super) keywords: &'static str,
    /// Keywords may be written in capitals.
    pub(super) any_case: bool,
    /// What makes a keyword of any word behind it.
    pub(super) keyword_marks: &'static [u8],
    /// What words are made of, besides letters, digits and `_`.
    pub(super) word_bytes: &'static [u8],
    /// What stands between a key and its value.
    pub(super) key_mark: Option<u8>,
}

/// What a text stands between.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// A backslash takes the next character's meaning away.
    pub(super) escapes: bool,
    /// The text may go on in the next line.
    pub(super) lines: bool,
}

/// The language of the file `path`, if it is known by its name.
pub(super) fn from_path(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or(name.as_str(), |(_, extension)| extension);
    let code = match extension {
        "md" | "markdown" | "mdx" => return Some(Language::Markdown),
        "html" | "htm" | "xhtml" | "xml" | "xsd" | "svg" | "vue" | "svelte" | "plist" | "csproj" => {
            return Some(Language::Markup);
        }
        "rs" => &RUST,
        "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" => &SCRIPT,
        "py" | "pyi" | "bzl" | "star" => &PYTHON,
        "go" => &GO,
        "java" | "kt" | "kts" | "scala" | "groovy" | "gradle" => &JVM,
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" => &C,
        "cs" => &C_SHARP,
        "swift" => &SWIFT,
        "dart" => &DART,
        "zig" => &ZIG,
        "php" => &PHP,
        "rb" | "rake" | "gemspec" | "gemfile" | "rakefile" | "podfile" => &RUBY,
        "ex" | "exs" => &ELIXIR,
        "lua" => &LUA,
        "hs" => &HASKELL,
        "sh" | "bash" | "zsh" | "ksh" | "env" | "bashrc" | "zshrc" | "profile" => &SHELL,
        "sql" => &SQL,
        "proto" => &PROTO,
        "graphql" | "gql" => &GRAPHQL,
        "css" | "scss" | "less" => &CSS,
        "json" | "jsonc" | "json5" | "webmanifest" => &JSON,
        "toml" | "lock" => &TOML,
        "yaml" | "yml" => &YAML,
        "ini" | "conf" | "cfg" | "properties" | "editorconfig" | "gitconfig" => &INI,
        "tf" | "tfvars" | "hcl" => &HCL,
        "makefile" | "mk" | "justfile" => &MAKE,
        "dockerfile" | "containerfile" => &DOCKER,
        _ if name.starts_with("dockerfile.") => &DOCKER,
        _ => return None,
    };
    Some(Language::Code(code))
}

const DOUBLE: Quote = Quote { open: "\"", close: "\"", escapes: true, lines: false };
const SINGLE: Quote = Quote { open: "'", close: "'", escapes: true, lines: false };
const PLAIN_SINGLE: Quote = Quote { open: "'", close: "'", escapes: false, lines: false };
const DOUBLE_LINES: Quote = Quote { open: "\"", close: "\"", escapes: true, lines: true };
const BACKTICK: Quote = Quote { open: "`", close: "`", escapes: true, lines: true };
const RAW_BACKTICK: Quote = Quote { open: "`", close: "`", escapes: false, lines: true };
const TRIPLE_DOUBLE: Quote = Quote { open: "\"\"\"", close: "\"\"\"", escapes: true, lines: true };
const TRIPLE_SINGLE: Quote = Quote { open: "'''", close: "'''", escapes: true, lines: true };

/// The family that most languages belong to.
const BRACES: Code = Code {
    line_comments: &["//"],
    spaced_comments: false,
    block_comments: &[("/*", "*/")],
    nested_comments: false,
    quotes: &[DOUBLE, SINGLE],
    raw_strings: false,
    lifetimes: false,
    regexes: false,
    macros: false,
    names: true,
    keywords: "",
    any_case: false,
    keyword_marks: b"",
    word_bytes: b"",
    key_mark: None,
};

/// The family in which a comment begins with `#`.
const HASHES: Code = Code { line_comments: &["#"], block_comments: &[], ..BRACES };

/// The family of keys and values.
const KEYS: Code = Code {
    spaced_comments: true,
    quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, PLAIN_SINGLE],
    names: false,
    keywords: "true false null yes no on off",
    word_bytes: b"-.",
    key_mark: Some(b'='),
    ..HASHES
};

static RUST: Code = Code {
    nested_comments: true,
    quotes: &[DOUBLE_LINES],
    raw_strings: true,
    lifetimes: true,
    macros: true,
    keywords: "\
        as async await break const continue crate dyn else enum extern false fn for if impl in let loop \
        match mod move mut pub ref return self Self static struct super trait true type union unsafe use \
        where while yield bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
    ..BRACES
};

static SCRIPT: Code = Code {
    quotes: &[DOUBLE, SINGLE, BACKTICK],
    regexes: true,
    keywords: "\
        abstract any as asserts async await bigint boolean break case catch class const constructor continue \
        debugger declare default delete do else enum export extends false finally for from function get if \
        implements import in infer instanceof interface is keyof let namespace never new null number object \
        of override private protected public readonly return satisfies set static string super switch symbol \
        this throw true try type typeof undefined unknown var void while with yield",
    keyword_marks: b"@",
    word_bytes: b"$",
    ..BRACES
};

static PYTHON: Code = Code {
    quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "\
        and as assert async await break case class continue def del elif else except False finally for from \
        global if import in is lambda match None nonlocal not or pass raise return self True try type while \
        with yield",
    keyword_marks: b"@",
    ..HASHES
};

static GO: Code = Code {
    quotes: &[DOUBLE, SINGLE, RAW_BACKTICK],
    keywords: "\
        any bool break byte case chan const continue default defer else error fallthrough false float32 \
        float64 for func go goto if import int int8 int16 int32 int64 interface iota map nil package range \
        return rune select string struct switch true type uint uint8 uint16 uint32 uint64 uintptr var",
    ..BRACES
};

static JVM: Code = Code {
    quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as assert boolean break by byte case catch char class companion const continue data def \
        default do double else enum extends false final finally float for fun given if implements implicit \
        import in init inline instanceof int interface internal is lateinit lazy long match native new null \
        object open override package permits private protected public record return sealed short static \
        super suspend switch synchronized this throw throws trait transient true try typealias using val var \
        void volatile when while with yield",
    keyword_marks: b"@",
    ..BRACES
};

static C: Code = Code {
    keywords: "\
        alignas alignof auto bool break case catch char class co_await co_return co_yield concept const \
        const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit \
        extern false final float for friend goto if inline int long mutable namespace new noexcept NULL \
        nullptr operator override private protected public register reinterpret_cast requires restrict \
        return short signed sizeof static static_assert static_cast struct switch template this throw true \
        try typedef typename union unsigned using virtual void volatile while",
    keyword_marks: b"#@",
    ..BRACES
};

static C_SHARP: Code = Code {
    quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as async await base bool break byte case catch char class const continue decimal default \
        delegate do double else enum event explicit extern false finally fixed float for foreach get goto if \
        implicit in init int interface internal is lock long namespace new null object operator out override \
        params partial private protected public readonly record ref required return sealed set short sizeof \
        static string struct switch this throw true try typeof uint ulong unsafe using var virtual void \
        volatile when where while with yield",
    keyword_marks: b"#",
    ..BRACES
};

static SWIFT: Code = Code {
    nested_comments: true,
    quotes: &[TRIPLE_DOUBLE, DOUBLE],
    keywords: "\
        actor any as associatedtype async await break case catch class continue default defer deinit do else \
        enum extension fallthrough false fileprivate final for func get guard if import in init inout \
        internal is lazy let mutating nil open operator override private protocol public repeat rethrows \
        return self Self set some static struct subscript super switch throw throws true try typealias var \
        weak where while",
    keyword_marks: b"@#",
    ..BRACES
};

static DART: Code = Code {
    quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    keywords: "\
        abstract as assert async await bool break case catch class const continue default do double dynamic \
        else enum export extends extension external factory false final finally for get if implements import \
        in int interface is late library mixin new null operator part required rethrow return sealed set \
        static super switch this throw true try typedef var void when while with yield",
    keyword_marks: b"@",
    ..BRACES
};

static ZIG: Code = Code {
    block_comments: &[],
    keywords: "\
        and anytype async await bool break catch comptime const continue defer else enum errdefer error \
        export extern false fn for if inline null or orelse packed pub return struct switch test threadlocal \
        true try type undefined union unreachable usingnamespace var void volatile while",
    keyword_marks: b"@",
    ..BRACES
};

static PHP: Code = Code {
    line_comments: &["//", "# "],
    keywords: "\
        abstract and array as bool break case catch class clone const continue declare default do echo else \
        elseif enum extends false final finally float fn for foreach function global if implements include \
        instanceof insteadof int interface isset match mixed namespace new null or private protected public \
        readonly require require_once return self static string switch this throw trait true try unset use \
        var void while yield",
    ..BRACES
};

static RUBY: Code = Code {
    block_comments: &[("\n=begin", "\n=end")],
    keywords: "\
        alias and attr_accessor attr_reader begin break case class def do else elsif end ensure extend false \
        for if in include lambda module next nil not or private proc protected public raise redo require \
        require_relative rescue retry return self super then true undef unless until when while yield",
    word_bytes: b"?",
    ..HASHES
};

static ELIXIR: Code = Code {
    quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
    keywords: "\
        after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else \
        end false fn for if import in nil not or quote raise receive require rescue true try unless unquote \
        use when with",
    keyword_marks: b"@",
    ..HASHES
};

static LUA: Code = Code {
    line_comments: &["--"],
    block_comments: &[("--[[", "]]")],
    quotes: &[DOUBLE, SINGLE, Quote { open: "[[", close: "]]", escapes: false, lines: true }],
    keywords: "\
        and break do else elseif end false for function goto if in local nil not or repeat return self then \
        true until while",
    ..BRACES
};

static HASKELL: Code = Code {
    line_comments: &["--"],
    block_comments: &[("{-", "-}")],
    nested_comments: true,
    quotes: &[DOUBLE],
    lifetimes: true,
    keywords: "\
        case class data default deriving do else family forall foreign if import in infix infixl infixr \
        instance let module newtype of qualified then type where",
    word_bytes: b"'",
    ..BRACES
};

static SHELL: Code = Code {
    spaced_comments: true,
    quotes: &[DOUBLE, PLAIN_SINGLE],
    names: false,
    keywords: "\
        case cd declare do done echo elif else esac eval exec exit export false fi for function if in local \
        readonly return select set shift source then trap true unset until while",
    word_bytes: b"-",
    ..HASHES
};

static SQL: Code = Code {
    line_comments: &["--"],
    quotes: &[DOUBLE, PLAIN_SINGLE, RAW_BACKTICK],
    names: false,
    any_case: true,
    keywords: "\
        add all alter and any as asc begin between bigint bool boolean by cascade case cast char check \
        column commit conflict constraint create cross database date decimal declare default delete desc \
        distinct drop else end except exists explain false for foreign from full function grant group having \
        if in index inner insert int integer intersect interval into is join json jsonb key left like limit \
        materialized not null numeric offset on or order outer over partition primary procedure real \
        recursive references replace returning returns right rollback row schema select serial set table \
        temporary text then time timestamp timestamptz to transaction trigger true truncate union unique \
        update using uuid values varchar view when where with",
    ..BRACES
};

static PROTO: Code = Code {
    keywords: "\
        bool bytes double enum extend false fixed32 fixed64 float import int32 int64 map message oneof \
        option optional package public repeated required reserved returns rpc service sint32 sint64 stream \
        string syntax true uint32 uint64",
    ..BRACES
};

static GRAPHQL: Code = Code {
    quotes: &[TRIPLE_DOUBLE, DOUBLE],
    keywords: "\
        directive enum extend false fragment implements input interface mutation null on query scalar schema \
        subscription true type union",
    keyword_marks: b"@",
    ..HASHES
};

static CSS: Code = Code {
    line_comments: &["// "],
    names: false,
    keywords: "important",
    keyword_marks: b"@",
    word_bytes: b"-",
    key_mark: Some(b':'),
    ..BRACES
};

static JSON: Code =
    Code { quotes: &[DOUBLE], names: false, keywords: "true false null", key_mark: Some(b':'), ..BRACES };

static TOML: Code = KEYS;

static YAML: Code = Code { quotes: &[DOUBLE, PLAIN_SINGLE], key_mark: Some(b':'), ..KEYS };

static INI: Code = Code { line_comments: &["#", ";"], quotes: &[DOUBLE], ..KEYS };

static HCL: Code = Code {
    line_comments: &["#", "//"],
    keywords: "\
        data false for in locals module null output provider resource terraform true variable",
    names: true,
    word_bytes: b"-",
    key_mark: Some(b'='),
    ..BRACES
};

static MAKE: Code = Code {
    quotes: &[DOUBLE, PLAIN_SINGLE],
    keywords: "define else endef endif export ifdef ifeq ifndef ifneq include",
    names: false,
    spaced_comments: true,
    ..HASHES
};

static DOCKER: Code = Code {
    quotes: &[DOUBLE, PLAIN_SINGLE],
    spaced_comments: true,
    names: false,
    keywords: "\
        ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER \
        VOLUME WORKDIR",
    ..HASHES
};
