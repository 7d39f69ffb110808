//! What a package brings beside the program: completions for shells and manual pages.

use crate::support::Folder;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn every_shell_gets_a_script_that_it_reads() {
    let folder = Folder::empty();
    for (shell, said, check) in [
        ("bash", "complete -F _aide", Some("bash")),
        ("zsh", "#compdef aide", None),
        ("fish", "complete -c aide", None),
        ("powershell", "Register-ArgumentCompleter", None),
        ("elvish", "edit:completion:arg-completer[aide]", None),
    ] {
        let printed = folder.aide(["completions", shell]);
        assert_eq!((printed.code, &*printed.stderr), (Some(0), ""), "{shell}");
        assert!(printed.stdout.contains(said) && printed.stdout.contains("next-step"), "{shell}");
        if let Some(check) = check {
            fs::write(folder.join("script"), &printed.stdout).unwrap();
            let read =
                Command::new(check).args(["-n", "script"]).current_dir(folder.path()).status().unwrap();
            assert!(read.success(), "{shell}");
        }
    }
    folder.aide(["completions", "--lang", "en", "csh"]).failed(
        2,
        "✗ bad value for argument SHELL: \"csh\" is not one of bash, zsh, fish, powershell, elvish\n  hint: run aide completions --help\n",
    );
    folder.aide(["completions", "--lang", "en"]).failed_with(2, "✗ missing argument: <SHELL>");
}

#[test]
fn bash_completes_commands_and_flags() {
    let folder = Folder::empty();
    fs::write(folder.join("script"), folder.aide(["completions", "bash"]).stdout).unwrap();
    for (line, offered) in
        [("aide dec", "decide"), ("aide decide su", "submit"), ("aide decide submit --que", "--queue")]
    {
        let words: Vec<_> = line.split(' ').collect();
        let asked = format!(
            "source ./script; COMP_WORDS=({line}); COMP_CWORD={}; _aide aide {} {}; echo ${{COMPREPLY[@]}}",
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &asked])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), offered, "{line}: {output:?}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::empty();
    let written = folder.aide(["man", "--lang", "en", "man1"]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let mut names: Vec<_> = fs::read_dir(folder.join("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(written.stdout, format!("✓ {} manual pages written to man1\n", names.len()));
    for name in ["aide.1", "aide-decide.1", "aide-decide-submit.1", "aide-workflow-decision-respond.1"] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
    let page = fs::read_to_string(folder.join("man1/aide-decide-submit.1")).unwrap();
    assert!(page.starts_with(".ie") && page.contains("\\-\\-queue"), "{page}");
    // Written again, they are the same.
    assert_eq!(folder.aide(["man", "--lang", "en", "man1"]).code, Some(0));
    assert_eq!(fs::read_to_string(folder.join("man1/aide-decide-submit.1")).unwrap(), page);
}
