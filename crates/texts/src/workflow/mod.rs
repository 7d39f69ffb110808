//! The words of the pages of workflows, in both languages.

mod en;
mod sentence;
mod zh;

use crate::{Lang, fill, page::counted};
use protocol::workflow::{AgentState, ErrorCode, EventGroup, EventType, Refusal, TaskState, WorkflowState};

/// All words of workflows that stand on pages.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct WorkflowTexts {
    pub workflows: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub none: &'static str,
    /// With the command in backticks.
    pub none_hint: &'static str,
    pub not_live: &'static str,
    pub reload: &'static str,
    /// Of an address that names none.
    pub no_workflow: &'static str,
    pub back: &'static str,
    pub began: &'static str,
    pub changed: &'static str,
    pub planned: &'static str,
    pub tokens: &'static str,
    /// With `{input}` and `{output}`.
    pub tokens_of: &'static str,
    pub cost: &'static str,
    pub phases: &'static str,
    pub past: &'static str,
    pub present: &'static str,
    pub cancelled: &'static str,
    pub interrupted_word: &'static str,
    pub search: &'static str,
    pub any_state: &'static str,
    pub any_project: &'static str,
    pub active: &'static str,
    pub waits: &'static str,
    pub show_all: &'static str,
    pub none_found: &'static str,
    pub json: &'static str,
    /// Leads to the page of an event.
    pub open_json: &'static str,
    pub waits_for_you: &'static str,
    /// What the answers `Y` and `n` say.
    pub yes_no: [&'static str; 2],
    pub answer: &'static str,
    pub answer_hint: &'static str,
    /// Leads to the page of the question.
    pub answer_there: &'static str,
    /// With `{default}`.
    pub fallback: &'static str,
    /// With `{time}`.
    pub until: &'static str,
    pub control: &'static str,
    pub pause: &'static str,
    pub pause_hard: &'static str,
    pub pause_hint: &'static str,
    /// Behind another sentence, while something that was running before is running still.
    pub runs_on: &'static str,
    pub resume: &'static str,
    pub cancel: &'static str,
    pub cancel_ask: &'static str,
    pub cancel_hint: &'static str,
    pub say: &'static str,
    pub say_hint: &'static str,
    /// The same of a workflow that is paused.
    pub say_hint_paused: &'static str,
    pub send: &'static str,
    pub tasks: &'static str,
    /// With `{done}` and `{total}`.
    pub done_of: &'static str,
    pub no_tasks: &'static str,
    pub graph: &'static str,
    /// With `{shown}` and `{total}`.
    pub part: &'static str,
    pub all_pages: &'static str,
    pub earlier: &'static str,
    pub later: &'static str,
    /// Of a task that nothing more is done about, as its workflow has ended.
    pub not_done: &'static str,
    pub needs: &'static str,
    pub by: &'static str,
    pub agents: &'static str,
    pub no_agents: &'static str,
    pub load: &'static str,
    pub works_on: &'static str,
    pub thought: &'static str,
    pub action: &'static str,
    pub observation: &'static str,
    pub failed_step: &'static str,
    pub output: &'static str,
    /// With `{path}`.
    pub saved: &'static str,
    pub error: &'static str,
    pub decided: &'static str,
    pub nobody: &'static str,
    pub events: &'static str,
    pub only: &'static str,
    pub no_events: &'static str,
    pub older: &'static str,
    pub newest: &'static str,
    pub refused: &'static str,
    /// With `{phase}`.
    pub heard: &'static str,
    pub cancelled_now: &'static str,
    pub interrupted: &'static str,
    /// It waits for a kind of agent.
    pub waits_for_agent: &'static str,
    /// The same, and which workflows use those.
    pub waits_for_agent_of: &'static str,
    /// With `{agent}` and `{name}`, a provider.
    pub asks_model: &'static str,
    /// With `{agent}` and `{name}`, a tool.
    pub runs_tool: &'static str,
    /// With `{agent}`.
    pub does_errand: &'static str,
    /// Its phase has failed, and is tried again.
    pub tries_again: &'static str,
    /// With `{task}`, behind one of the three.
    pub for_task: &'static str,
    /// With `{time}`, of day.
    pub since: &'static str,
    /// With `{count}`.
    pub more_works: &'static str,
    /// With `{count}`.
    pub tokens_so_far: &'static str,
    /// With `{count}`.
    pub characters_so_far: &'static str,
    /// With `{attempt}`, `{time}` and `{error}`.
    pub asks_again: &'static str,
    /// In the order of [`WorkflowState::ALL`].
    now: [&'static str; 11],
    waiting: [&'static str; 2],
    failed: [&'static str; 2],
    /// In the order of [`WorkflowState::ALL`].
    states: [&'static str; 11],
    /// In the order of [`TaskState::ALL`].
    tasks_are: [&'static str; 12],
    /// In the order of [`AgentState::ALL`].
    agents_are: [&'static str; 5],
    /// In the order of [`EventGroup::ALL`].
    groups: [&'static str; 10],
    /// The names of the agents that there are from the start, where they are others in this language.
    agent_names: &'static [(&'static str, &'static str)],
    event: fn(EventType) -> &'static str,
    refusal: fn(ErrorCode) -> Option<&'static str>,
}

impl WorkflowTexts {
    /// The word for a phase.
    pub fn phase(&self, state: WorkflowState) -> &'static str {
        self.states[state as usize]
    }

    /// What a workflow in this phase, which asks nothing, wants of a person.
    pub fn now(&self, state: WorkflowState) -> &'static str {
        self.now[state as usize]
    }

    /// The word for how far a task has come.
    pub fn task(&self, state: TaskState) -> &'static str {
        self.tasks_are[state as usize]
    }

    /// The word for what an agent is doing.
    pub fn agent(&self, state: AgentState) -> &'static str {
        self.agents_are[state as usize]
    }

    /// The name of an agent: one that there is from the start has its name in this language, any other the one it was given.
    pub fn agent_name<'a>(&self, name: &'a str) -> &'a str {
        self.agent_names.iter().find(|(given, _)| *given == name).map_or(name, |(_, own)| own)
    }

    /// The word for a group of events.
    pub fn group(&self, group: EventGroup) -> &'static str {
        self.groups[group as usize]
    }

    /// What an event tells, in a few words.
    pub fn event(&self, kind: EventType) -> &'static str {
        (self.event)(kind)
    }

    /// How many questions wait.
    pub fn waiting(&self, count: usize) -> String {
        counted(self.waiting, count)
    }

    /// How many tasks have failed.
    pub fn failed(&self, count: usize) -> String {
        counted(self.failed, count)
    }

    /// Why something was not done: in this language if there is a text for it, else the error that programs get.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        (self.refusal)(refusal.code).map_or_else(|| refusal.error.clone(), str::to_owned)
    }

    /// The status, for users who cannot see the page.
    pub fn heard(&self, state: WorkflowState, is_cancelled: bool, waiting: usize) -> String {
        let phase = if is_cancelled { self.cancelled } else { self.phase(state) };
        let phase = fill(self.heard, &[("phase", phase)]);
        if waiting == 0 { phase } else { format!("{phase} · {}", self.waiting(waiting)) }
    }
}

impl Lang {
    /// The words of the pages of workflows.
    pub fn workflows(self) -> &'static WorkflowTexts {
        match self {
            Self::Zh => &zh::WORDS,
            Self::En => &en::WORDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;
    use protocol::workflow::{AgentState, EventGroup, TaskState, WorkflowState};

    #[test]
    fn each_state_has_its_own_word_in_each_language() {
        let (en, zh) = (Lang::En.workflows(), Lang::Zh.workflows());
        assert_eq!(en.phase(WorkflowState::WaitUserDecision), "waiting for you");
        assert_eq!(zh.phase(WorkflowState::Failed), "失败");
        assert_eq!((en.task(TaskState::Created), en.task(TaskState::Done)), ("waiting", "done"));
        assert_eq!((zh.agent(AgentState::Idle), zh.agent(AgentState::Released)), ("空闲", "已归还"));
        assert_eq!(
            (en.agent_name("General Executor"), zh.agent_name("General Executor")),
            ("General Executor", "通用执行者")
        );
        assert_eq!(zh.agent_name("my-agent"), "my-agent");
        assert_eq!((en.group(EventGroup::Session), en.group(EventGroup::All)), ("sessions", "all"));
    }
}
