//! The words of `aide provider list --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "列出已配置的提供者与内置的预设",
    usage: "aide provider list [选项]",
    after: "\
逐行给出名称、程序的位置或服务的地址、模型，以及智能体没有指明时是否使用它。项目的配置
尚未信任时，其中的提供者不会使用，并加以注明。不启动任何程序，也不连接任何服务。",
    json: "输出一行 JSON: 各提供者的数组",
};

pub(super) static EN: Help = Help {
    about: "List configured providers and presets",
    usage: "aide provider list [OPTIONS]",
    after: "\
Each line has the name, the path of the program or the address of the endpoint, the model,
and whether agents that name none use it. Providers of a project that you have not trusted
are marked as unused. No program is started, and no connection is made.",
    json: "Print one line of JSON: an array of the providers",
};
