//! What is refused: then nothing at all is written.

use crate::scene::Scene;
use files::{FileError, fault};
use setup::{Agent, RefusalReason, Scope, SetupError};
use std::fs;
use std::os::unix::fs::symlink;

fn refused(scene: &Scene, scope: Scope, is_expected: impl Fn(&RefusalReason) -> bool) {
    let before = scene.tree();
    match scene.set_up(scope, &Agent::ALL) {
        Err(SetupError::Refused(refused)) => {
            assert_eq!(refused.len(), 1, "{refused:?}");
            assert!(is_expected(&refused[0].why), "{refused:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.tree(), before);
    assert!(fs::read_dir(scene.path("state")).unwrap().next().is_none(), "a record was written");
}

#[test]
fn what_does_not_parse() {
    for (file, text) in [
        ("project/.mcp.json", "{\"a\": 1,}"),
        ("project/.mcp.json", "{} // Claude Code takes no comments"),
        ("project/.vscode/mcp.json", "{\"servers\": {"),
        ("project/.codex/config.toml", "a = \n"),
        ("project/.codex/config.toml", "<<<<<<< HEAD\na = 1\n"),
        ("project/.zed/settings.json", "{'a': 1}"),
    ] {
        let scene = Scene::new();
        scene.write(file, text);
        refused(
            &scene,
            Scope::Project,
            |why| matches!(why, RefusalReason::Unparsable { message } if !message.is_empty()),
        );
    }
}

#[test]
fn what_is_no_text_or_has_other_shapes() {
    let scene = Scene::new();
    scene.write("project/AGENTS.md", b"\xff\xfe");
    refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::NotText));
    for (file, text) in [
        ("project/.mcp.json", "[]"),
        ("project/.mcp.json", "{\"mcpServers\": []}"),
        ("project/.mcp.json", "{\"mcpServers\": {}, \"mcpServers\": {\"x\": {}}}"),
        ("project/.codex/config.toml", "mcp_servers = 1\n"),
    ] {
        let scene = Scene::new();
        scene.write(file, text);
        refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::Unsuited));
    }
    let scene = Scene::new();
    scene.write("project/AGENTS.md", "<!-- aide:begin -->\n");
    refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::Marks));
}

#[test]
fn what_another_program_has_called_aide() {
    for entry in [
        "{\"command\": \"/usr/bin/other\"}",
        "{\"url\": \"http://localhost:1/mcp\"}",
        "{\"command\": [\"npx\", \"aide\"]}",
        "true",
    ] {
        let scene = Scene::new();
        scene.write("project/.mcp.json", format!("{{\"mcpServers\": {{\"aide\": {entry}}}}}"));
        refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::Foreign { .. }));
    }
}

#[test]
fn a_file_that_has_an_entry_and_hooks_is_refused_once() {
    let scene = Scene::new();
    scene.write("outside/settings.json", "{}");
    fs::create_dir_all(scene.path("project/.gemini")).unwrap();
    symlink(scene.path("outside/settings.json"), scene.path("project/.gemini/settings.json")).unwrap();
    let Err(SetupError::Refused(refused)) = scene.hook(Scope::Project, &[Agent::Gemini]) else { panic!() };
    let paths: Vec<_> = refused.into_iter().map(|refusal| refusal.path).collect();
    assert_eq!(paths, [scene.path("project/.gemini/settings.json")]);
}

#[test]
fn links_out_of_the_project() {
    let scene = Scene::new();
    scene.write("outside/mcp.json", "{}");
    symlink(scene.path("outside/mcp.json"), scene.path("project/.mcp.json")).unwrap();
    refused(
        &scene,
        Scope::Project,
        |why| matches!(why, RefusalReason::LeadsOut { to } if to.ends_with("outside/mcp.json")),
    );

    let scene = Scene::new();
    symlink(scene.path("outside"), scene.path("project/.codex")).unwrap();
    refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::LeadsOut { .. }));

    let scene = Scene::new();
    symlink("nowhere", scene.path("project/CLAUDE.md")).unwrap();
    refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::LeadsNowhere));

    // Of the person's own files those in the home may be links, but not to somewhere else.
    let scene = Scene::new();
    scene.write("outside/settings.json", "{}");
    fs::create_dir(scene.path("home/.gemini")).unwrap();
    symlink(scene.path("outside/settings.json"), scene.path("home/.gemini/settings.json")).unwrap();
    refused(&scene, Scope::User, |why| matches!(why, RefusalReason::LeadsOut { .. }));
}

#[test]
fn a_folder_in_the_place_of_a_file() {
    let scene = Scene::new();
    fs::create_dir(scene.path("project/.mcp.json")).unwrap();
    refused(&scene, Scope::Project, |why| matches!(why, RefusalReason::File(FileError::NotAFile { .. })));
}

#[test]
fn what_changes_between_the_plan_and_its_turn() {
    for (file, text) in [
        ("project/.mcp.json", "{\"a\": 1}\n"),
        ("project/AGENTS.md", "new\n"),
        ("project/.zed/settings.json", "{}"),
    ] {
        let scene = Scene::new();
        scene.write("project/.mcp.json", "{}");
        let plan = scene.planned(Scope::Project, &Agent::ALL).unwrap();
        scene.write(file, text);
        let before = scene.tree();
        match plan.apply(&scene.records()) {
            Err(SetupError::NotApplied { error: FileError::Changed { path }, left }) => {
                assert_eq!((path, left.len()), (scene.path(file), 0));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(scene.tree(), before);
        // And then it works.
        scene.set_up(Scope::Project, &Agent::ALL).unwrap();
        scene.take_out(Scope::Project, &Agent::ALL).unwrap();
        assert_eq!(scene.tree(), before);
    }
}

/// Each call to the system fails once: all is as it was, or all is done. Another attempt then works, and can be taken back.
#[test]
fn whatever_fails() {
    let agents = [Agent::Claude, Agent::Codex];
    let scene = || {
        let scene = Scene::new();
        scene.write("project/.mcp.json", "{\n\t\"mcpServers\": {}\n}\n");
        scene.write("project/AGENTS.md", "# Ours\n");
        scene
    };
    let done = {
        let scene = scene();
        scene.set_up(Scope::Project, &agents).unwrap();
        relative(&scene)
    };
    let mut turn = 0;
    loop {
        let scene = scene();
        let before = relative(&scene);
        fault::fail(turn, fault::Fault::Fails(rustix::io::Errno::IO));
        let result = scene.set_up(Scope::Project, &agents).map(drop);
        let has_come = fault::fail_no_more();
        let now = relative(&scene);
        match &result {
            Ok(()) => assert_eq!(without_leftovers(now), done, "call {turn}"),
            Err(error) => assert_eq!(without_leftovers(now), before, "call {turn}: {error:?}"),
        }
        scene.set_up(Scope::Project, &agents).unwrap();
        assert_eq!(without_leftovers(relative(&scene)), done, "call {turn}");
        scene.take_out(Scope::Project, &agents).unwrap();
        assert_eq!(without_leftovers(relative(&scene)), before, "call {turn}");
        if !has_come {
            assert!(turn > 50, "only {turn} calls");
            break;
        }
        turn += 1;
    }
}

/// A kill at each call: what was begun is completed, or taken back, by the next attempt, and nothing is left over.
#[test]
fn whenever_it_is_killed() {
    let agents = [Agent::Codex];
    let scene = || {
        let scene = Scene::new();
        scene.write("home/.codex/config.toml", "model = \"gpt-5\"\n");
        scene
    };
    let is_setting_up = [true, false];
    for (is_setting_up, is_completed) in
        is_setting_up.into_iter().flat_map(|one| is_setting_up.map(|other| (one, other)))
    {
        for turn in 0.. {
            let scene = scene();
            let before = relative(&scene);
            scene.set_up(Scope::User, &agents).unwrap();
            let done = relative(&scene);
            if is_setting_up {
                scene.take_out(Scope::User, &agents).unwrap();
            }
            fault::fail(turn, fault::Fault::Killed);
            let _ = if is_setting_up {
                scene.set_up(Scope::User, &agents).map(drop)
            } else {
                scene.take_out(Scope::User, &agents).map(drop)
            };
            let has_come = fault::fail_no_more();
            if is_completed {
                scene.set_up(Scope::User, &agents).unwrap();
                assert_eq!(relative(&scene), done, "call {turn}");
            }
            scene.take_out(Scope::User, &agents).unwrap();
            assert_eq!(relative(&scene), before, "call {turn}, set up again: {is_completed}");
            if !has_come {
                assert!(turn > 30, "only {turn} calls");
                break;
            }
        }
    }
}

type Files = Vec<(String, Vec<u8>)>;

fn relative(scene: &Scene) -> Files {
    let root = scene.path("");
    let name = |path: std::path::PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
    scene.tree().into_iter().map(|(path, (_, bytes))| (name(path), bytes)).collect()
}

/// A file whose removal has failed stays, and a folder with it.
fn without_leftovers(mut files: Files) -> Files {
    let leftovers: Vec<String> =
        files.iter().filter(|(name, _)| name.ends_with(".tmp")).map(|(name, _)| name.clone()).collect();
    files.retain(|(name, bytes)| {
        let is_around = leftovers.iter().any(|left| left == name || left.starts_with(&format!("{name}/")));
        !(is_around && (name.ends_with(".tmp") || bytes.is_empty()))
    });
    files
}
