//! The file that a browser is given in place of a link that lets in.
//!
//! Every user of a machine can read the arguments of every program. So the browser gets the name of a file that only its owner
//! can read, and the file redirects to the link.

use crate::failure::Failure;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use store::Decisions;

/// Where the file is, for a browser.
pub(crate) fn url(decisions: &Decisions) -> String {
    file_url(&decisions.opener())
}

/// Makes the file lead to `link`.
pub(crate) fn write(decisions: &Decisions, link: &str) -> Result<(), Failure> {
    // A link has an origin and hexadecimal digits: nothing that would have to be escaped.
    let html = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\"><title>aide</title><a href=\"{link}\">aide</a>\n"
    );
    Ok(decisions.write_opener(&html)?)
}

fn file_url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                url.push(char::from(*byte));
            }
            // Writing into a string does not fail.
            byte => drop(write!(url, "%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::file_url;
    use std::path::Path;

    #[test]
    fn any_path_is_one_url() {
        assert_eq!(
            file_url(Path::new("/p/.aide/decisions/open.html")),
            "file:///p/.aide/decisions/open.html"
        );
        assert_eq!(file_url(Path::new("/a b/%#?/好")), "file:///a%20b/%25%23%3F/%E5%A5%BD");
    }
}
