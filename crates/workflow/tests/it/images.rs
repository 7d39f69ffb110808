//! Images that come with what a person wants (contract/workflows §6.3).

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::whole::WholeLists as _;
use protocol::workflow::{ErrorCode, SingleStage, WorkflowState};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n a drawing";
const ORCHESTRATOR: &str = "finger-orchestrator";

fn studio() -> Studio {
    let plan = json!([{ "id": "task-1", "description": "a" }]);
    Studio::new(move |asked: &AgentRequest| {
        let images = asked.images.len();
        assert!(images == 0 || asked.role == "understand", "{}: {images}", asked.role);
        // A repair prompt shows them again.
        if asked.role == "understand" && !asked.is_repair() {
            return Ok("what?".to_owned());
        }
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start()
}

fn said(folder: &Path, images: Value) -> Value {
    json!({ "content": "Draw it", "input": "Draw it", "projectPath": folder, "images": images })
}

#[test]
fn s6_3_whoever_understands_is_shown_the_images_and_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("shots")).unwrap();
    fs::write(folder.path().join("shots/a.png"), PNG).unwrap();
    fs::write(folder.path().join("b.bin"), b"GIF89a").unwrap();
    let whole = folder.path().join("b.bin");
    let images = json!(["shots/a.png", whole]);
    for module in [ORCHESTRATOR, SingleStage::Understand.module()] {
        let studio = studio();
        let begun = studio.send(module, said(folder.path(), images.clone())).unwrap();
        let workflow = begun["workflowId"].as_str().unwrap();
        studio.reaches(workflow, WorkflowState::Completed);
        let shown = studio.log.images.lock().unwrap().clone();
        assert_eq!(shown[..2], [["image/png of 18 bytes", "image/gif of 6 bytes"]; 2], "{module}");
        assert!(shown[2..].iter().all(Vec::is_empty), "{shown:?}");
        let told = json!([
            { "path": "shots/a.png", "mediaType": "image/png", "bytes": 18 },
            { "path": whole, "mediaType": "image/gif", "bytes": 6 },
        ]);
        for prompt in studio.prompts_of("understand") {
            assert!(prompt.contains(&told.to_string()), "{prompt}");
        }
    }
}

#[test]
fn s6_3_what_is_no_image_of_the_project_is_refused_and_nothing_is_begun() {
    let outside = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.png"), PNG).unwrap();
    fs::write(folder.path().join("notes.png"), "no image").unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/a.png"), PNG).unwrap();
    let large = fs::File::create(folder.path().join("large.png")).unwrap();
    large.set_len((5 << 20) + 1).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a.png"), folder.path().join("link.png")).unwrap();
    let studio = studio();
    let refused = |message: Value| {
        let refusal = studio.send(ORCHESTRATOR, message).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::InvalidRequest, "{refusal}");
        assert_eq!(refusal.details["field"], "images");
        refusal.error
    };
    for path in ["missing.png", "../a.png", ".git/a.png", "large.png", "link/a.png", "link.png", "", "."] {
        let error = refused(said(folder.path(), json!(["notes.png", path])));
        assert_eq!(error, "notes.png: not a PNG, JPEG, GIF or WebP");
        let error = refused(said(folder.path(), json!([path])));
        assert!(error.starts_with(&format!("{path}: ")) && !error.contains("drawing"), "{error}");
    }
    assert!(refused(said(folder.path(), json!([outside.path().join("a.png")]))).contains("outside"));
    for images in [json!("a.png"), json!([1]), json!(vec!["a.png"; 9]), json!({})] {
        assert_eq!(refused(said(folder.path(), images)), "images must be an array of up to 8 paths");
    }
    let homeless = json!({ "content": "Draw it", "images": ["a.png"] });
    assert_eq!(refused(homeless), "the session has no project folder");
    assert_eq!(studio.runtime.workflows().unwrap().len(), 0);
}

#[test]
fn s6_3_an_image_that_is_gone_is_told_and_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    fs::write(&path, PNG).unwrap();
    let gone = path.clone();
    let studio = Studio::new(move |asked: &AgentRequest| {
        // What comes to nothing at first is asked again after the image is gone.
        if asked.role == "understand" && asked.before == 0 {
            fs::remove_file(&gone).unwrap();
            return Err(llm::LlmError::Http {
                target: "x".to_owned(),
                status: 503,
                code: None,
                message: "later".to_owned(),
                retry_after: None,
            });
        }
        let plan = json!([{ "id": "task-1", "description": "a" }]);
        Ok(smooth(asked, &plan).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    let begun = studio.send(ORCHESTRATOR, said(folder.path(), json!(["a.png"]))).unwrap();
    let workflow = begun["workflowId"].as_str().unwrap();
    studio.until("it is asked again", |studio| {
        studio.nudge();
        studio.prompts_of("understand").get(1).cloned()
    });
    studio.reaches(workflow, WorkflowState::Completed);
    let shown = studio.log.images.lock().unwrap().clone();
    assert_eq!((shown[0].len(), shown[1].len()), (1, 0));
}
