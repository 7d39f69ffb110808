//! The words of `aide completions --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) shell: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "输出命令行补全脚本",
    usage: "aide completions <SHELL>",
    after: "\
把脚本写入 shell 查找的位置，在文件夹不存在时先创建:
  bash  mkdir -p ~/.local/share/bash-completion/completions
        aide completions bash > ~/.local/share/bash-completion/completions/aide
  zsh   aide completions zsh > DIR/_aide，DIR 为 $fpath 中的某个文件夹
  fish  mkdir -p ~/.config/fish/completions
        aide completions fish > ~/.config/fish/completions/aide.fish

PowerShell 将输出写入 $PROFILE 所指的文件。脚本中的说明使用当前语言（--lang）。",
    shell: "bash、zsh、fish、powershell 或 elvish",
};

pub(super) static EN: Help = Help {
    about: "Print the completion script for a shell",
    usage: "aide completions <SHELL>",
    after: "\
Write it to the folder in which the shell looks for it:
  bash  mkdir -p ~/.local/share/bash-completion/completions
        aide completions bash > ~/.local/share/bash-completion/completions/aide
  zsh   aide completions zsh > DIR/_aide, where DIR is a folder of $fpath
  fish  mkdir -p ~/.config/fish/completions
        aide completions fish > ~/.config/fish/completions/aide.fish

For PowerShell, write it to the file that $PROFILE names. The descriptions of commands are in the
current language (--lang).",
    shell: "bash, zsh, fish, powershell or elvish",
};
