//! The agents that work on workflows, as the user has configured them, and their permissions.

use llm::{Environment, Limits, Provider};
use settings::{AgentConfig, AnsweredBy, CrewAgent, CrewConfig, CrewLimits, SearchBy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workflow::tools::{Search, ToolConfig, ToolSettings};
use workflow::{Concurrency, EngineLimits, PoolAgent};

/// The agents that work on workflows. A project cannot set them: a daemon works for many projects.
#[derive(Debug, Clone)]
pub struct Crew {
    /// All of them.
    pub(crate) pool: Vec<PoolAgent>,
    /// The providers of agents. An agent that is in neither map cannot do anything by itself.
    pub(crate) providers: BTreeMap<String, Arc<dyn Provider>>,
    /// Those with a folder of their own.
    pub(crate) folders: BTreeMap<String, PathBuf>,
    /// What they may do.
    pub(crate) tools: ToolSettings,
    /// How many of them work at a time, and how long at a task.
    pub(crate) pace: EngineLimits,
    /// The agents whose provider is not configured, each with the provider's name.
    unknown: Vec<(String, String)>,
}

impl Crew {
    /// Returns the crew that is configured as `config`, with `agents` as the providers that it names. `trusts` says whether the
    /// person trusts the configuration of the project that a folder is in.
    pub fn new(config: CrewConfig, agents: &AgentConfig, trusts: fn(&Path) -> bool) -> Self {
        let CrewConfig { provider, agents: configured, policies, search, limits } = config;
        let mut crew = Self {
            pool: PoolAgent::usual(),
            providers: BTreeMap::new(),
            folders: BTreeMap::new(),
            tools: ToolSettings {
                config: ToolConfig { search: search.map(search_of) },
                policies: policies.into_iter().collect(),
            },
            pace: pace_of(limits),
            unknown: Vec::new(),
        };
        let mut answers: BTreeMap<String, AnsweredBy> = BTreeMap::new();
        for CrewAgent { id, name, kind, capabilities, answers: answered } in configured {
            answers.extend(answered.map(|by| (id.clone(), by)));
            let found = crew.pool.iter().position(|agent| agent.id == id).unwrap_or_else(|| {
                let (name, kind) = (id.clone(), "executor".to_owned());
                crew.pool.push(PoolAgent { id, name, kind, capabilities: Vec::new() });
                crew.pool.len() - 1
            });
            let Some(agent) = crew.pool.get_mut(found) else { continue };
            agent.name = name.unwrap_or_else(|| agent.name.clone());
            agent.kind = kind.map_or_else(|| agent.kind.clone(), str::to_owned);
            agent.capabilities = capabilities.unwrap_or_else(|| agent.capabilities.clone());
        }
        for PoolAgent { id, .. } in &crew.pool {
            let usual = || provider.clone().map(AnsweredBy::Provider);
            match answers.remove(id).or_else(usual) {
                Some(AnsweredBy::Folder(folder)) => _ = crew.folders.insert(id.clone(), folder),
                Some(AnsweredBy::Provider(name)) => match agents.find(&name) {
                    Some(found) => {
                        // Each workflow has a folder of its own.
                        let environment = Environment::from_process().trusting(trusts);
                        let asked = llm::provider(found.clone(), environment, Limits::default());
                        crew.providers.insert(id.clone(), Arc::from(asked));
                    }
                    None => crew.unknown.push((id.clone(), name)),
                },
                None => {}
            }
        }
        crew
    }

    /// Whether workflows are driven here. Where no provider answers for an agent clients drive: agents with folders do tasks, and
    /// nothing else.
    pub(crate) fn is_driven(&self) -> bool {
        !self.providers.is_empty()
    }

    /// Tells the log who works here, and which providers there are not.
    pub(crate) fn log(&self) {
        let Self { pool, providers, folders, .. } = self;
        let (agents, answered, folders) = (pool.len(), providers.len(), folders.len());
        tracing::info!(agents, answered, folders, "agents");
        for (provider, agents) in self.unknown_providers() {
            tracing::warn!(provider, ?agents, "no such provider is configured");
        }
    }

    /// Returns each provider that is not configured, with the agents that name it. The daemon starts all the same: viewing past
    /// work needs none.
    pub fn unknown_providers(&self) -> BTreeMap<&str, Vec<String>> {
        let mut unknown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (agent, provider) in &self.unknown {
            unknown.entry(provider).or_default().push(agent.clone());
        }
        unknown
    }
}

fn pace_of(limits: CrewLimits) -> EngineLimits {
    let CrewLimits { total, executor, orchestrator, reviewer, tool, api, database, task_timeout } = limits;
    EngineLimits {
        concurrency: Concurrency {
            total: total.into(),
            executor: executor.into(),
            orchestrator: orchestrator.into(),
            reviewer: reviewer.into(),
            tool: tool.into(),
            api: api.into(),
            database: database.into(),
        },
        task_timeout: i64::from(task_timeout) * 1000,
        ..EngineLimits::default()
    }
}

fn search_of(search: SearchBy) -> Search {
    match search {
        SearchBy::Command(command) => Search::Command(command),
        SearchBy::Url(url) => Search::Url(url),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::Crew;
    use protocol::workflow::{ToolName, ToolPolicy};
    use settings::ConfigFiles;
    use workflow::PoolAgent;
    use workflow::tools::Search;

    const PROVIDERS: &str = "[[agent.providers]]\nname = 'one'\nkind = 'command'\ncommand = 'cat'\n\
                             [[agent.providers]]\nname = 'two'\nkind = 'command'\ncommand = 'cat'\n";

    fn crew(text: &str) -> Crew {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, format!("{PROVIDERS}{text}")).unwrap();
        let files = ConfigFiles::new(None, Some(file));
        let user = files.user_layers().unwrap();
        Crew::new(user.crew().unwrap(), &user.agent().unwrap(), |_| false)
    }

    fn answered(crew: &Crew) -> Vec<(&str, &str)> {
        crew.providers.iter().map(|(id, provider)| (&**id, provider.name())).collect()
    }

    fn ids(crew: &Crew) -> Vec<&str> {
        crew.pool.iter().map(|agent| &*agent.id).collect()
    }

    #[test]
    fn without_a_word_the_usual_agents_are_there_and_nobody_answers_for_them() {
        let crew = crew("");
        assert_eq!(format!("{:?}", crew.pool), format!("{:?}", PoolAgent::usual()));
        assert!(crew.providers.is_empty() && crew.folders.is_empty() && crew.unknown.is_empty());
        assert_eq!(crew.tools, workflow::tools::ToolSettings::default());
    }

    #[test]
    fn as_many_work_at_a_time_as_is_configured() {
        let usual = workflow::EngineLimits::default();
        let crew_of = |text| crew(text).pace;
        assert_eq!(crew_of("").concurrency, usual.concurrency);
        assert_eq!(crew_of("").task_timeout, usual.task_timeout);
        let other = crew_of("[daemon]\ntask_timeout = 60\n[daemon.concurrency]\nexecutor = 7\n");
        assert_eq!((other.concurrency.executor, other.concurrency.total), (7, usual.concurrency.total));
        assert_eq!(other.task_timeout, 60_000);
    }

    #[test]
    fn one_line_lets_a_provider_answer_for_all() {
        let crew = crew("[daemon]\nprovider = 'two'\n");
        assert_eq!(ids(&crew).len(), 5);
        assert_eq!(answered(&crew).len(), 5);
        assert!(answered(&crew).iter().all(|(_, name)| *name == "two"));
    }

    #[test]
    fn an_agent_is_changed_or_added_by_its_id() {
        let crew = crew(
            "[daemon]\nprovider = 'one'\n\
             [[daemon.agents]]\nid = 'executor-coding'\nprovider = 'two'\n\
             [[daemon.agents]]\nid = 'executor-general'\ncapabilities = ['singing']\nname = 'G'\n\
             [[daemon.agents]]\nid = 'legal'\ntype = 'reviewer'\nfolder = '/srv/legal'\n\
             [[daemon.agents]]\nid = 'plain'\n",
        );
        let agent = |id: &str| crew.pool.iter().find(|agent| agent.id == id).unwrap();
        assert_eq!(ids(&crew)[5..], ["legal", "plain"]);
        // What is not said stays.
        let usual = PoolAgent::usual();
        assert_eq!(format!("{:?}", agent("executor-coding")), format!("{:?}", usual[3]));
        let general = agent("executor-general");
        assert_eq!((&*general.name, &*general.kind), ("G", "executor"));
        assert_eq!(general.capabilities, [("singing".to_owned(), 5)]);
        assert_eq!((&*agent("legal").kind, &*agent("legal").name), ("reviewer", "legal"));
        assert_eq!(agent("plain").kind, "executor");
        assert_eq!(
            crew.folders.iter().map(|(id, path)| (&**id, path.to_str().unwrap())).collect::<Vec<_>>(),
            [("legal", "/srv/legal")]
        );
        let expected = [
            ("executor-coding", "two"),
            ("executor-general", "one"),
            ("executor-research", "one"),
            ("orchestrator-default", "one"),
            ("plain", "one"),
            ("reviewer-default", "one"),
        ];
        assert_eq!(answered(&crew), expected);
    }

    #[test]
    fn a_provider_that_there_is_not_is_noted_and_nothing_else_is_lost() {
        let crew = crew("[daemon]\nprovider = 'one'\n[[daemon.agents]]\nid = 'a'\nprovider = 'three'\n");
        assert_eq!(crew.unknown, [("a".to_owned(), "three".to_owned())]);
        assert_eq!(answered(&crew).len(), 5);
        assert!(ids(&crew).contains(&"a"));
    }

    #[test]
    fn tools_are_as_configured() {
        let crew = crew("[daemon.tools]\nread_file = 'deny'\nsearch_command = ['s', '-x']\n");
        assert_eq!(crew.tools.policy(ToolName::ReadFile), ToolPolicy::Deny);
        assert_eq!(crew.tools.policy(ToolName::FetchUrl), ToolPolicy::Ask);
        let command = ["s", "-x"].map(str::to_owned).to_vec();
        assert_eq!(crew.tools.config.search, Some(Search::Command(command)));
    }
}
