//! The words of `aide config --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) user: &'static str,
    pub(super) get: &'static str,
    pub(super) get_usage: &'static str,
    pub(super) get_after: &'static str,
    pub(super) set: &'static str,
    pub(super) set_usage: &'static str,
    pub(super) set_after: &'static str,
    pub(super) unset: &'static str,
    pub(super) unset_usage: &'static str,
    pub(super) unset_after: &'static str,
    pub(super) list: &'static str,
    pub(super) list_usage: &'static str,
    pub(super) list_after: &'static str,
    pub(super) path: &'static str,
    pub(super) path_usage: &'static str,
    pub(super) path_after: &'static str,
    pub(super) get_json: &'static str,
    pub(super) list_json: &'static str,
    pub(super) path_user: &'static str,
    pub(super) path_json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "查看与修改配置",
    usage: "aide config [选项] <子命令>",
    after: "\
项目的配置是 .aide/config.toml，您自己的是 ~/.config/aide/config.toml（或
$XDG_CONFIG_HOME/aide/config.toml）。优先级: 参数 > 环境变量 > 项目 > 用户 > 默认值。

  aide config list
  aide config set decide.port 8080
  aide config set --user general.lang en",
    key: "配置项，如 decide.port",
    value: "值: 布尔值为 true 或 false，字符串不加引号，列表为 a,b 或 [\"a\", \"b\"]",
    user: "修改您自己的配置，而不是项目的",
    get: "输出一个配置项生效的值",
    get_usage: "aide config get [选项] <KEY>",
    get_after: "给出一节（如 decide）时输出其中的全部配置项。没有此配置项时退出码为 1。",
    set: "修改一个配置项",
    set_usage: "aide config set [选项] <KEY> <VALUE>",
    set_after: "\
只改动这一项，文件的注释、顺序与格式保持不变；没有文件时以默认配置创建。文件曾被
信任且改动的不是需要信任的配置项时，信任继续有效，否则须重新执行 aide trust。",
    unset: "移除一个配置项",
    unset_usage: "aide config unset [选项] <KEY>",
    unset_after: "移除之后使用您自己的配置或默认值。没有此配置项时退出码为 1。",
    list: "列出全部配置项生效的值与来源",
    list_usage: "aide config list [选项]",
    list_after: "来源: 参数、环境变量、项目配置、用户配置或默认。",
    path: "输出配置文件的位置",
    path_usage: "aide config path [选项]",
    path_after: "文件不存在时会注明。",
    get_json: "输出 JSON",
    list_json: "输出一行 JSON: 每个配置项的 value、source，以及 file、line 或 name",
    path_user: "只输出您自己的配置文件的路径",
    path_json: "输出一行 JSON（file、exists）",
};

pub(super) static EN: Help = Help {
    about: "Show and change the configuration",
    usage: "aide config [OPTIONS] <COMMAND>",
    after: "\
The project's configuration is .aide/config.toml, your own is
~/.config/aide/config.toml (or $XDG_CONFIG_HOME/aide/config.toml).
Precedence: argument > environment variable > project > user > default.

  aide config list
  aide config set decide.port 8080
  aide config set --user general.lang en",
    key: "The key, such as decide.port",
    value: "The value: true or false, a string without quotes, a list as a,b or [\"a\", \"b\"]",
    user: "Change your own configuration, not the project's",
    get: "Print the effective value of a key",
    get_usage: "aide config get [OPTIONS] <KEY>",
    get_after: "Given a section, such as decide, prints all of its keys. Exit code 1 if there is no such key.",
    set: "Change a key",
    set_usage: "aide config set [OPTIONS] <KEY> <VALUE>",
    set_after: "\
Nothing else in the file changes: comments, order and formatting are kept. A missing
file is created with the defaults. A trusted file stays trusted unless the key is one
that needs trust; in that case, run aide trust again.",
    unset: "Remove a key",
    unset_usage: "aide config unset [OPTIONS] <KEY>",
    unset_after: "Your own configuration or the default applies from then on. Exit code 1 if the key is not set.",
    list: "List every key with its effective value and its source",
    list_usage: "aide config list [OPTIONS]",
    list_after: "Sources: argument, environment variable, project, user, default.",
    path: "Print the paths of the configuration files",
    path_usage: "aide config path [OPTIONS]",
    path_after: "A file that does not exist is marked as missing.",
    get_json: "Print JSON",
    list_json: "Print one line of JSON: value and source of each key, with file, line or name",
    path_user: "Print only the path of your own file",
    path_json: "Print one line of JSON (file, exists)",
};
