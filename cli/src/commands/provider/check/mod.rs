//! `aide provider check`

mod help;

use super::{KnownProvider, ProviderOrigin, all, environment, kind, probe, shown};
use crate::agents::wake::Interruption;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{AgentMessage, Message, ProviderMessage};
use crate::output::Tone;
use clap::ArgMatches;
use llm::{
    CommandConfig, EndpointConfig, KeySource, Limits, LlmError, Login, NoLedger, Preset, Probe, ProviderKind,
    Reply, Request,
};
use serde_json::{Value, json};
use std::sync::mpsc;
use texts::Explain;

/// `aide provider check`
pub(crate) static COMMAND: Command = Command { name: "check", build, run };

const NAME: &str = "NAME";
/// How much of an answer is printed, in characters.
const MAX_ANSWER: usize = 60;
/// What is asked: short, and in the form that agents want.
const PROMPT: &str = "Reply with this JSON and nothing else: {\"result\": \"ready\"}";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(NAME, words.name))
        .arg(layout.flag("models", words.models))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let mut known = all(context)?;
    let name = match text(matches, NAME) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => default(context, &known)?,
    };
    let Some(position) = known.iter().position(|known| known.config.name == name) else {
        let what = Message::agent(AgentMessage::UnknownProvider { name });
        return Err(Failure::new(
            what,
            Message::agent(AgentMessage::KnownProviders { names: names(&known) }),
        ));
    };
    let known = known.swap_remove(position);
    let interruption = Interruption::default();
    interruption.listen(mpsc::channel().0)?;
    let mut check =
        Check { context, probe: probe(context, &known.config)?, known, interruption, findings: Vec::new() };
    let result = check.look(is_set(matches, "models"));
    if check.interruption.cancellation.is_cancelled() {
        let what = Message::provider(ProviderMessage::Interrupted);
        return Err(Failure::new(what, None).with_code(check.interruption.code()));
    }
    check.print(result?, is_set(matches, "json"))
}

/// The names of all of them, each once.
fn names(known: &[KnownProvider]) -> Vec<String> {
    let mut names: Vec<String> = known.iter().map(|known| known.config.name.clone()).collect();
    names.dedup();
    names
}

/// The provider that agents use which name none; it is said which one that is.
fn default(context: &Context, known: &[KnownProvider]) -> Result<String, Failure> {
    let Some(default) = known.iter().find(|known| known.is_default) else {
        let hint = Message::agent(AgentMessage::KnownProviders { names: names(known) });
        return Err(Failure::usage(Message::provider(ProviderMessage::NoDefault), hint));
    };
    let name = default.config.name.clone();
    context.output.notice(&Message::provider(ProviderMessage::Default { name: name.clone() }));
    Ok(name)
}

/// What was found out about one part of a provider.
struct Finding {
    /// The part, as it is called in JSON.
    check: &'static str,
    tone: Tone,
    what: Message,
    hint: Option<Message>,
}

/// What came of the question, and the models.
#[derive(Default)]
struct CheckResult {
    reply: Option<Reply>,
    models: Option<Vec<String>>,
}

struct Check<'c> {
    context: &'c Context,
    known: KnownProvider,
    probe: Probe,
    interruption: Interruption,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn find(
        &mut self,
        check: &'static str,
        tone: Tone,
        what: ProviderMessage,
        hint: Option<ProviderMessage>,
    ) {
        let (what, hint) = (Message::provider(what), hint.map(Message::provider));
        self.findings.push(Finding { check, tone, what, hint });
    }

    /// An error of a provider, with its own advice.
    fn find_error(&mut self, check: &'static str, tone: Tone, error: &LlmError) {
        let explanation = error.explain(self.context.output.lang());
        let words = |words| ProviderMessage::Words { words };
        self.find(check, tone, words(explanation.what), explanation.hint.map(words));
    }

    /// Looks at one part after the other, as far as it makes sense.
    fn look(&mut self, with_models: bool) -> Result<CheckResult, Failure> {
        let name = self.known.config.name.clone();
        if !self.known.is_trusted {
            self.find("trust", Tone::Failure, ProviderMessage::Untrusted, Some(ProviderMessage::RunTrust));
            return Ok(CheckResult::default());
        }
        if self.known.from == ProviderOrigin::Preset {
            let hint = Some(ProviderMessage::AddEntry { preset: name });
            self.find("configured", Tone::Warning, ProviderMessage::OnlyPreset, hint);
        }
        let is_ready = match self.known.config.kind.clone() {
            ProviderKind::Command(config) => self.look_at_program(&config)?,
            ProviderKind::OpenAi(config) => self.look_at_endpoint(&config),
        };
        if !is_ready || self.interruption.cancellation.is_cancelled() {
            return Ok(CheckResult::default());
        }
        let reply = self.ask()?;
        let models = if with_models { self.models() } else { None };
        Ok(CheckResult { reply, models })
    }

    /// Whether there is one to be asked.
    fn look_at_program(&mut self, config: &CommandConfig) -> Result<bool, Failure> {
        let cancellation = self.interruption.cancellation.clone();
        let Some(path) = self.probe.program() else {
            let program = config.command.clone();
            self.find_error("program", Tone::Failure, &LlmError::NotFound { program });
            return Ok(false);
        };
        self.find("program", Tone::Ok, ProviderMessage::ProgramAt { path }, None);
        if config.preset == Preset::Ollama && self.known.config.model.is_none() {
            self.find("model", Tone::Failure, ProviderMessage::NoModel, Some(ProviderMessage::SetModel));
            return Ok(false);
        }
        match self.probe.version(&cancellation) {
            Ok(Some(version)) => self.find("version", Tone::Ok, ProviderMessage::Version { version }, None),
            Ok(None) => {}
            Err(error) => self.find_error("version", Tone::Warning, &error),
        }
        match self.probe.login(&cancellation) {
            Ok(Some(Login::In(by))) => self.find("login", Tone::Ok, ProviderMessage::LoggedIn { by }, None),
            Ok(Some(Login::Out(_))) => {
                self.find("login", Tone::Warning, ProviderMessage::LoggedOut, Some(ProviderMessage::LogIn));
            }
            Ok(None) => {}
            Err(error) => self.find_error("login", Tone::Warning, &error),
        }
        let root = self.context.project()?.root();
        match self.probe.is_folder_trusted(root) {
            Some(true) => self.find("folder", Tone::Ok, ProviderMessage::FolderTrusted, None),
            Some(false) => {
                let hint = Some(ProviderMessage::RunTrustForProgram);
                self.find("folder", Tone::Warning, ProviderMessage::FolderUntrusted, hint);
            }
            None => {}
        }
        Ok(true)
    }

    fn look_at_endpoint(&mut self, config: &EndpointConfig) -> bool {
        self.find("url", Tone::Ok, ProviderMessage::Url { url: shown(&config.base_url) }, None);
        match &config.key {
            KeySource::None => self.find("key", Tone::Ok, ProviderMessage::NoKey, None),
            KeySource::Variable(name) => {
                let name = name.clone();
                if std::env::var_os(&name).is_none_or(|key| key.is_empty()) {
                    let error = LlmError::NoKey(llm::KeyError::NoVariable { name });
                    self.find_error("key", Tone::Failure, &error);
                    return false;
                }
                self.find("key", Tone::Ok, ProviderMessage::KeyInVariable { name }, None);
            }
            KeySource::Command(command) => {
                let program = command.first().cloned().unwrap_or_default();
                self.find("key", Tone::Ok, ProviderMessage::KeyOfProgram { program }, None);
            }
        }
        true
    }

    /// Asks as an agent would, but only once.
    fn ask(&mut self) -> Result<Option<Reply>, Failure> {
        let limits = Limits { attempts: 1, busy_attempts: 1, cut_attempts: 1, ..Limits::default() };
        let config = &self.known.config;
        let seconds = config.timeout.as_secs();
        self.context.output.notice(&Message::provider(ProviderMessage::Asking { seconds }));
        let provider = llm::provider(config.clone(), environment(self.context)?, limits);
        let request = Request {
            wants_json: true,
            folder: Some(self.context.project()?.root().to_owned()),
            ..Request::new(PROMPT)
        };
        match provider.ask(&request, &NoLedger, &self.interruption.cancellation) {
            Ok(reply) => {
                self.judge(&reply);
                self.name_workflows(Tone::Ok);
                Ok(Some(reply))
            }
            Err(error) => {
                self.find_error("answer", Tone::Failure, &error);
                if !self.interruption.cancellation.is_cancelled() {
                    self.name_workflows(Tone::Warning);
                }
                Ok(None)
            }
        }
    }

    /// Workflows need answers of another form: what was found here says nothing of those.
    fn name_workflows(&mut self, tone: Tone) {
        if self.known.is_of_daemon {
            self.find("workflow", tone, ProviderMessage::OfDaemon, Some(ProviderMessage::TryWorkflow));
        }
    }

    /// An answer that came, and what it cost.
    fn judge(&mut self, reply: &Reply) {
        let seconds = format!("{:.1}", reply.took.as_secs_f64());
        match agent::Answer::parse(&reply.answer.text, false) {
            Ok(answer) => {
                // It should be one word.
                let answer = model::beginning(&answer.result_text(), MAX_ANSWER);
                self.find("answer", Tone::Ok, ProviderMessage::Answered { seconds, answer }, None);
            }
            Err(violation) => {
                let hint = Some(ProviderMessage::TryOtherModel);
                let why = violation.detail;
                self.find("answer", Tone::Warning, ProviderMessage::BadAnswer { seconds, why }, hint);
            }
        }
        let model = reply.answer.model.clone();
        let tokens = reply.answer.usage.map(|usage| (usage.input_tokens, usage.output_tokens));
        let cost = reply.answer.cost;
        self.find("usage", Tone::Ok, ProviderMessage::Usage { model, tokens, cost }, None);
    }

    fn models(&mut self) -> Option<Vec<String>> {
        match self.probe.models(&self.interruption.cancellation) {
            Ok(Some(models)) => {
                self.find("models", Tone::Ok, ProviderMessage::Models { count: models.len() }, None);
                let wanted = self.known.config.model.clone();
                let is_there = |wanted: &String| {
                    // ollama adds a tag.
                    models
                        .iter()
                        .any(|model| model == wanted || model.strip_suffix(":latest") == Some(wanted))
                };
                if let Some(model) = wanted.filter(|wanted| !is_there(wanted)) {
                    let what = ProviderMessage::ModelNotListed { model };
                    self.find("models", Tone::Warning, what, Some(ProviderMessage::ChooseModel));
                }
                Some(models)
            }
            Ok(None) => {
                self.find("models", Tone::Warning, ProviderMessage::ModelsUntold, None);
                None
            }
            Err(error) => {
                self.find_error("models", Tone::Warning, &error);
                None
            }
        }
    }

    fn print(self, result: CheckResult, json: bool) -> Result<u8, Failure> {
        let is_usable = result.reply.is_some();
        let code = if is_usable { DONE } else { FAILED };
        let output = &self.context.output;
        if json {
            output.json(&self.to_json(&result).to_string())?;
            return Ok(code);
        }
        for Finding { tone, what, hint, .. } in &self.findings {
            output.marked_entry(*tone, what)?;
            if let Some(hint) = hint {
                output.advice(hint)?;
            }
        }
        for model in result.models.into_iter().flatten() {
            output.entry(2, &Message::provider(ProviderMessage::Words { words: model }))?;
        }
        let name = self.known.config.name;
        let (tone, verdict) = if is_usable {
            (Tone::Ok, ProviderMessage::Usable { name })
        } else if self.findings.iter().any(|finding| finding.check == "workflow") {
            (Tone::Failure, ProviderMessage::NotForAgents { name })
        } else {
            (Tone::Failure, ProviderMessage::Unusable { name })
        };
        output.marked_entry(tone, &Message::provider(verdict))?;
        Ok(code)
    }

    fn to_json(&self, result: &CheckResult) -> Value {
        let lang = self.context.output.lang();
        let finding = |finding: &Finding| {
            let status = match finding.tone {
                Tone::Ok => "ok",
                Tone::Warning => "warn",
                Tone::Failure => "fail",
            };
            let hint = finding.hint.as_ref().map(|hint| hint.render(lang));
            json!({ "check": finding.check, "status": status, "message": finding.what.render(lang), "hint": hint })
        };
        let answer = result.reply.as_ref().map(|reply| {
            let llm::Answer { text, model, usage, cost, .. } = &reply.answer;
            json!({
                "text": text,
                "model": model,
                "input_tokens": usage.map(|usage| usage.input_tokens),
                "output_tokens": usage.map(|usage| usage.output_tokens),
                "cost_usd": cost,
                "response_time_ms": u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX),
            })
        });
        let mut value = json!({
            "name": self.known.config.name,
            "kind": kind(&self.known.config),
            "from": self.known.from.name(),
            "usable": result.reply.is_some(),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "answer": answer,
        });
        if let Some(models) = &result.models {
            value["models"] = json!(models);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::NAME;
    use crate::command_line::layout::{is_set, text};
    use crate::command_line::read;

    #[test]
    fn arguments() {
        let matches = read(&["provider", "check", "p", "--models", "--json"]).unwrap();
        assert_eq!(text(&matches, NAME), Some("p".into()));
        assert!(is_set(&matches, "models") && is_set(&matches, "json"));
        assert_eq!(text(&read(&["provider", "check"]).unwrap(), NAME), None);
        assert!(read(&["provider", "check", "a", "b"]).is_none());
    }
}
