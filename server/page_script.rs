//! Puts the page's script together; read by the build of the server and by `scripts/bundle`.

/// Makes one script of what works at once, the module that wasm-bindgen has written, and what wakes the islands: nothing can
/// import a module that stands in a page, so what it exports becomes the object `app`.
///
/// # Errors
///
/// When the module exports something in a way that is not known here.
pub(crate) fn page_script(early: &str, module: &str, wake: &str) -> Result<String, &'static str> {
    // Declarations are exported where they stand, the rest in one list at the end.
    let (body, list) = module.rsplit_once("export").ok_or("the script exports nothing")?;
    let list = list.trim().trim_end_matches(';').trim_matches(['{', '}']);
    let mut exports: Vec<String> = list
        .split(',')
        .map(|export| match export.split_once(" as ") {
            Some((name, exported)) => (exported.trim(), name.trim()),
            None => (export.trim(), export.trim()),
        })
        // What fetches the module itself is not asked to.
        .filter(|(exported, _)| *exported != "default")
        .map(|(exported, name)| format!("{exported}:{name}"))
        .collect();
    let mut parts = body.split("export ");
    let mut script = parts.next().unwrap_or_default().to_owned();
    for declaration in parts {
        // The islands are functions. Classes are for scripts that make objects of them: there are none.
        if let Some(declared) = declaration.strip_prefix("function ") {
            let name = declared.split(['(', ' ']).next();
            exports
                .push(name.ok_or("the script exports something in a way that is not known here")?.to_owned());
        } else if !declaration.starts_with("class ") {
            return Err("the script exports something in a way that is not known here");
        }
        script.push_str(declaration);
    }
    // Nor is there one that disposes of them; without this, what makes the script small leaves them out.
    let script = script.lines().filter(|line| !line.starts_with("if (Symbol.dispose)"));
    let script = script.collect::<Vec<_>>().join("\n");
    Ok(format!("{}\n{script}\nconst app={{{}}};\n{}", bare(early), exports.join(","), bare(wake)))
}

/// A script without comments and indentation.
fn bare(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).collect::<Vec<_>>().join("\n")
}
