//! The words of `aide decide answer --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) session: &'static str,
    pub(super) provide: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "在终端中回答待定项",
    usage: "aide decide answer [选项] [SESSION]",
    after: "\
逐项显示等待决策的待定项，按 ? 查看按键。不需要浏览器，可在 SSH 与 tmux 中使用。
有多组待定项而未指明 SESSION 时，先从列表中选择一组，提交后再选择下一组。
所作的选择立即保留为草稿，与网页共用。尚未提交就离开时退出码为 1。

没有终端或 TERM=dumb 时改为逐行提问，从标准输入读取答案: 每项先是选项的编号，再是
备注（可为空），最后是 y:
  printf '1\\n\\n2\\n团队更熟悉\\ny\\n' | aide decide answer
有多组待定项时，这样回答与 --provide 须指明 SESSION。

--provide 把文件交给需要它的那一项: 按文件名（其中 * 代表任意字符）选择；只缺一个文件时，任何
文件名均可，交付时使用所要求的名称。若不需要回答其他各项，随即提交；否则接着回答其余各项:
  aide decide answer --provide requirements.md
  aide decide answer --provide feedback_a.json:agent_reviewer",
    session: "会话标识，如 2025-01-15T10-30-00；默认为等待决策的那一组",
    provide: "添加附件，可多次使用；:AGENT 指明它交给哪个代理",
};

pub(super) static EN: Help = Help {
    about: "Answer the questions in the terminal",
    usage: "aide decide answer [OPTIONS] [SESSION]",
    after: "\
Shows the open questions one at a time; ? shows the keys. Needs no browser, and
works over SSH and in tmux. If several sets are open and no SESSION is given, you
choose one from a list, and the next one after submitting it. Every choice is saved
at once as a draft, which is shared with the page. Exit code 1 if you leave before
submitting.

Without a terminal, or with TERM=dumb, it asks line by line and reads the answers
from standard input: for each question the number of an option, then a note, which
may be empty; finally y:
  printf '1\\n\\n2\\nbecause it is known\\ny\\n' | aide decide answer
If several sets of questions are open, this and --provide need a SESSION.

--provide gives a file to the question that asks for a file of its name, in which *
matches any characters. If only one file is missing, the file can have any name and
is delivered under the requested name. The answer is submitted at once if only files
are requested; otherwise the other questions follow:
  aide decide answer --provide requirements.md
  aide decide answer --provide feedback_a.json:agent_reviewer",
    session: "A session, such as 2025-01-15T10-30-00; by default the only open one",
    provide: "Attach a file (repeatable); :AGENT names the agent it is for",
};
