//! Prints the measures of this repository, or of that in a folder: `cargo run -p tidy -- [FOLDER]`.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tidy::{Measures, Tree};

fn main() -> ExitCode {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_owned);
    let root = env::args_os().nth(1).map(PathBuf::from).or_else(own).unwrap_or_default();
    match Tree::read(&root).and_then(|tree| write!(io::stdout(), "{}", Measures::of(&tree))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is no other place for it.
            let _ = writeln!(io::stderr(), "tidy: {error}");
            ExitCode::FAILURE
        }
    }
}
