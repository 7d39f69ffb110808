//! Every table: what is written is what is read, what must be unique is, and what a row refers to is there.

use crate::support::{
    Change, Commit, JournalFolder, change, decision, event, identity, session, why, workflow,
};
use journal::{
    Agent, Checkpoint, Decision, Idempotency, Instruction, Journal, Key, Mailbox, Message, Outbox, Project,
    Record, Session, Sqlite, Step, Table, Task, Tool, Workflow,
};
use protocol::workflow::{
    AgentState, DecisionStatus, EventType, MailStatus, ResourceStatus, SessionKind, TaskState, ToolName,
    ToolPolicy, WorkflowState,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn project(id: &str) -> Project {
    Project { id: id.to_owned(), root: format!("/home/ann/{id}"), seen: -1, version: 0 }
}

fn message(session: &str) -> Message {
    Message {
        session: session.to_owned(),
        no: 7,
        id: format!("of {session}"),
        role: "user".to_owned(),
        content: "a 'quoted' \"text\"\n报告 \u{1F600}".to_owned(),
        at: i64::MAX,
        workflow: some("w"),
    }
}

/// With something else in each column.
pub(crate) fn task(workflow: &str) -> Task {
    Task {
        workflow: workflow.to_owned(),
        id: "a".to_owned(),
        no: 1,
        description: "description".to_owned(),
        kind: "reviewer".to_owned(),
        state: TaskState::Running,
        needs: "[\"b\"]".to_owned(),
        capabilities: "[\"web_search\"]".to_owned(),
        min_level: Some(10),
        agent: some("agent"),
        dispatch: None,
        attempt: 2,
        rejections: 3,
        due: Some(4),
        estimate: Some(5),
        started: Some(6),
        finished: Some(7),
        result: some("{\"result\":1}"),
        error: some("error"),
        version: 0,
    }
}

/// With something else in each column.
pub(crate) fn step(workflow: &str) -> Step {
    Step {
        workflow: workflow.to_owned(),
        no: 1,
        attempt: 2,
        task: some("a"),
        name: "name".to_owned(),
        request_sha256: "sha".to_owned(),
        request: "request".to_owned(),
        answer: some("answer"),
        outcome: some("outcome"),
        tokens: some("{\"input\":1}"),
        started: 3,
        finished: Some(4),
        version: 0,
    }
}

fn checkpoint(session: &str) -> Checkpoint {
    Checkpoint {
        id: format!("of {session}"),
        session: session.to_owned(),
        no: 1,
        workflow: some("w"),
        at: 2,
        state: Some(WorkflowState::Review),
        progress: 3,
        body: "{\"body\":1}".to_owned(),
    }
}

fn instruction(workflow: &str) -> Instruction {
    Instruction {
        workflow: workflow.to_owned(),
        no: 1,
        text: "text".to_owned(),
        used_by: some("plan"),
        version: 0,
    }
}

fn mail(id: &str) -> Mailbox {
    Mailbox {
        id: id.to_owned(),
        target: "target".to_owned(),
        sender: some("sender"),
        callback: some("callback"),
        content: "{\"content\":1}".to_owned(),
        status: MailStatus::Failed,
        result: some("{\"result\":1}"),
        error: some("error"),
        workflow: some("w"),
        created: 1,
        updated: 2,
        version: 0,
    }
}

/// A row of each table, each column of which holds something else; what they refer to comes before them.
fn all() -> Vec<Record> {
    let session = Session {
        kind: SessionKind::ALL[1],
        name: "name".to_owned(),
        project: some("p"),
        paused: true,
        created: 1,
        updated: 2,
        accessed: 3,
        context: "{\"context\":1}".to_owned(),
        ..session("s")
    };
    let workflow = Workflow {
        state: WorkflowState::Paused,
        previous: Some(WorkflowState::Execution),
        task: "task".to_owned(),
        context: "{\"context\":2}".to_owned(),
        round: 1,
        engine: 2,
        error: some("error"),
        output: some("{\"output\":1}"),
        cancelled: true,
        failures: 3,
        wake_at: Some(i64::MIN),
        created: 4,
        updated: 5,
        ..workflow("w", "s")
    };
    let agent = Agent {
        id: "agent".to_owned(),
        name: "name".to_owned(),
        kind: "kind".to_owned(),
        capabilities: "[1]".to_owned(),
        state: AgentState::ALL[1],
        status: ResourceStatus::ALL[1],
        session: some("s"),
        workflow: some("w"),
        task: some("a"),
        deployed: Some(1),
        deployments: 2,
        errors: 3,
        last_error: some("error"),
        last_error_at: Some(4),
        beat: Some(5),
        version: 0,
    };
    let decision = Decision {
        workflow: some("w"),
        session: some("s"),
        task: some("a"),
        agent: some("agent"),
        project: some("p"),
        ask: "ask".to_owned(),
        questions: "{\"questions\":1}".to_owned(),
        multiple: true,
        fallback: some("fallback"),
        status: DecisionStatus::ALL[1],
        draft: some("{\"draft\":1}"),
        record: some("{\"record\":1}"),
        response: some("response"),
        selected: some("[\"selected\"]"),
        via: some("via"),
        created: 1,
        expires: Some(2),
        ended: Some(3),
        ..decision("d")
    };
    let request = Idempotency {
        name: Idempotency::name_of("POST /x", "key"),
        request_sha256: "sha".to_owned(),
        status: Some(404),
        body: some("body"),
        created: 1,
        version: 0,
    };
    let (kind, body) = ("kind".to_owned(), "{\"body\":1}".to_owned());
    let outbox = Outbox { id: "o".to_owned(), kind, body, attempts: 1, next: 2, version: 0 };
    let (policy, configured) = (ToolPolicy::Ask, ToolPolicy::Deny);
    let tool = Tool { name: ToolName::WebSearch, policy, configured, changed: 1, version: 0 };
    vec![
        project("p").into(),
        session.into(),
        message("s").into(),
        workflow.into(),
        Task { dispatch: some("dispatch"), ..task("w") }.into(),
        step("w").into(),
        agent.into(),
        decision.into(),
        checkpoint("s").into(),
        instruction("w").into(),
        mail("m").into(),
        request.into(),
        outbox.into(),
        tool.into(),
    ]
}

/// The row with another version.
pub(crate) fn with_version(record: &Record, version: i64) -> Record {
    macro_rules! with_version {
        ($($name:ident)*) => {
            match record.clone() {
                $( Record::$name(row) => Record::$name($name { version, ..row }), )*
                written_once @ (Record::Event(_) | Record::Message(_) | Record::Checkpoint(_)) => written_once,
            }
        };
    }
    with_version!(Project Session Workflow Task Step Agent Decision Instruction Mailbox Idempotency Outbox Tool)
}

fn get(journal: &Sqlite, key: &Key) -> Option<Record> {
    journal.view().unwrap().get(key).unwrap()
}

fn removal(keys: impl IntoIterator<Item = Key>) -> Change {
    Change { remove: keys.into_iter().collect(), ..Change::default() }
}

#[test]
fn a_row_of_every_table_is_read_as_it_was_written() {
    let place = JournalFolder::new();
    let journal = place.open();
    let rows = all();
    assert_eq!(rows.len() + 1, Table::ALL.len(), "one of each but events");
    let mut told = event("e", Some("w"));
    told.kind = EventType::TaskFailed;
    (told.session, told.task, told.agent) = (some("s"), some("a"), some("agent"));
    let new = Change { events: vec![told.clone()], ..change(rows.clone(), &[]) };
    let committed = journal.commit(new).unwrap();
    drop(journal);
    let journal = place.open();
    let event = &*committed.events[0];
    assert_eq!((event.seq, event.at, event.kind, &event.payload), (1, told.at, told.kind, &told.payload));
    assert_eq!(get(&journal, &journal::Event::key_of(1)), Some(event.clone().into()));
    for row in &rows {
        let (key, version) = identity(row);
        let written = with_version(row, 1);
        assert_eq!(get(&journal, &key).as_ref(), Some(&written));
        // Changed, it has another version; what is written once is not changed.
        for (version_read, is_right) in [(0, false), (2, false), (1, version.is_some())] {
            let done = journal.commit(change([with_version(row, version_read)], &[]));
            match is_right {
                true => drop(done.unwrap()),
                false => assert!(why(&done.unwrap_err()).starts_with("conflict"), "{key:?} {version_read}"),
            }
        }
        assert_eq!(get(&journal, &key), Some(with_version(row, 2)));
    }
    for row in rows.iter().rev() {
        let (key, _) = identity(row);
        journal.commit(removal([key.clone()])).unwrap();
        assert_eq!(get(&journal, &key), None);
        journal.commit(removal([key])).unwrap();
    }
}

#[test]
fn a_value_that_is_unique_is_refused_to_a_second_row() {
    let place = JournalFolder::new();
    let journal = place.open();
    let rows =
        [session("s").into(), session("t").into(), workflow("w", "s").into(), workflow("v", "s").into()];
    journal.commit(change(rows, &["e"])).unwrap();
    let named = |id: &str, no, dispatch: Option<&str>| Task {
        id: id.to_owned(),
        no,
        dispatch: dispatch.map(str::to_owned),
        ..task("w")
    };
    // The row that has it, another one that wants it, and the same where nothing else has it.
    let cases: [[Record; 3]; 7] = [
        [
            project("p").into(),
            Project { root: "/home/ann/p".to_owned(), ..project("q") }.into(),
            project("q").into(),
        ],
        [message("s").into(), Message { id: "of s".to_owned(), ..message("t") }.into(), message("t").into()],
        [named("a", 1, Some("x")).into(), named("b", 2, Some("x")).into(), named("b", 2, Some("y")).into()],
        [named("c", 3, None).into(), named("d", 3, None).into(), named("d", 4, None).into()],
        [
            decision("d").into(),
            Decision { ask: "d".to_owned(), ..decision("e") }.into(),
            decision("e").into(),
        ],
        [
            Checkpoint { id: "1".to_owned(), ..checkpoint("s") }.into(),
            Checkpoint { id: "2".to_owned(), ..checkpoint("s") }.into(),
            Checkpoint { id: "2".to_owned(), no: 2, ..checkpoint("s") }.into(),
        ],
        [mail("m").into(), mail("n").into(), Mailbox { callback: None, ..mail("n") }.into()],
    ];
    for [first, second, other] in cases {
        journal.commit(change([first], &[])).unwrap();
        let (key, _) = identity(&second);
        let refused = journal.commit(change([second], &["never"])).unwrap_err();
        assert_eq!(why(&refused), format!("conflict {key:?}"));
        assert_eq!(get(&journal, &key), None);
        journal.commit(change([other], &[])).unwrap();
    }
    let many = [Mailbox { callback: None, ..mail("o") }, Mailbox { callback: None, ..mail("p") }];
    journal.commit(change(many.map(Into::into), &[])).expect("nothing is no value");
    // Part of a workflow: another one has its own.
    journal.commit(change([task("v").into()], &[])).unwrap();
    assert_eq!(journal.view().unwrap().log().unwrap().last, 1, "no number is left out");
}

#[test]
fn what_a_row_refers_to_is_there_as_long_as_the_row_is() {
    type Referring = fn(&str) -> Record;
    let place = JournalFolder::new();
    let journal = place.open();
    let rows = [project("p").into(), session("s").into(), workflow("w", "s").into()];
    journal.commit(change(rows, &[])).unwrap();
    let (of_project, of_session, of_workflow): (Referring, Referring, Referring) =
        (|id| project(id).into(), |id| session(id).into(), |id| workflow(id, "s").into());
    // What is referred to, and what refers to it.
    let cases: [(Referring, Referring); 10] = [
        (of_project, |to| Session { project: some(to), ..session("new") }.into()),
        (of_project, |to| Decision { project: some(to), ..decision("new") }.into()),
        (of_session, |to| message(to).into()),
        (of_session, |to| workflow("new", to).into()),
        (of_session, |to| checkpoint(to).into()),
        (of_workflow, |to| task(to).into()),
        (of_workflow, |to| step(to).into()),
        (of_workflow, |to| Decision { workflow: some(to), ..decision("new") }.into()),
        (of_workflow, |to| Checkpoint { workflow: some(to), ..checkpoint("s") }.into()),
        (of_workflow, |to| instruction(to).into()),
    ];
    for (target, referring) in cases {
        let (row, (key, _)) = (referring("there"), identity(&referring("there")));
        let dangling = journal.commit(change([session("never").into(), referring("nowhere")], &["e"]));
        assert_eq!(why(&dangling.unwrap_err()), "invalid", "{row:?}");
        let (there, _) = identity(&target("there"));
        journal.commit(change([target("there"), row], &[])).unwrap();
        assert_eq!(why(&journal.commit(removal([there.clone()])).unwrap_err()), "invalid", "{key:?}");
        assert!(get(&journal, &there).is_some());
        journal.commit(removal([key, there])).unwrap();
    }
    assert_eq!(get(&journal, &Session::key_of("never")), None);
    assert_eq!(journal.view().unwrap().log().unwrap().last, 0);
}

#[test]
fn a_column_of_json_holds_nothing_else() {
    let place = JournalFolder::new();
    let journal = place.open();
    let rows = [session("s").into(), workflow("w", "s").into()];
    journal.commit(change(rows, &[])).unwrap();
    let broken = || "{".to_owned();
    let cases: [Record; 17] = [
        Session { context: broken(), ..session("t") }.into(),
        Workflow { context: broken(), ..workflow("v", "s") }.into(),
        Workflow { output: Some(broken()), ..workflow("v", "s") }.into(),
        Task { needs: broken(), ..task("w") }.into(),
        Task { capabilities: broken(), ..task("w") }.into(),
        Task { result: Some(broken()), ..task("w") }.into(),
        Task { min_level: Some(11), ..task("w") }.into(),
        Step { tokens: Some(broken()), ..step("w") }.into(),
        Decision { questions: broken(), ..decision("d") }.into(),
        Decision { draft: Some(broken()), ..decision("d") }.into(),
        Decision { record: Some(broken()), ..decision("d") }.into(),
        Decision { selected: Some(broken()), ..decision("d") }.into(),
        Checkpoint { body: broken(), ..checkpoint("s") }.into(),
        Mailbox { content: broken(), ..mail("m") }.into(),
        Mailbox { result: Some(broken()), ..mail("m") }.into(),
        Outbox { id: "o".to_owned(), kind: String::new(), body: broken(), attempts: 0, next: 0, version: 0 }
            .into(),
        Agent {
            id: "a".to_owned(),
            name: String::new(),
            kind: String::new(),
            capabilities: broken(),
            state: AgentState::Idle,
            status: ResourceStatus::Available,
            session: None,
            workflow: None,
            task: None,
            deployed: None,
            deployments: 0,
            errors: 0,
            last_error: None,
            last_error_at: None,
            beat: None,
            version: 0,
        }
        .into(),
    ];
    for row in cases {
        let (key, _) = identity(&row);
        assert_eq!(why(&journal.commit(change([row], &["e"])).unwrap_err()), "invalid", "{key:?}");
    }
}
