//! Behind a reverse proxy, below a path of its host.

use crate::support::{Fixture, ITEMS};
use axum::body::Body;
use http::{Request, StatusCode};
use server::{Access, Key};
use store::Project;

const LINK: &str = "http://localhost:4129/user/ann/proxy/4130/";
const ROOT: &str = "/user/ann/proxy/4130";

fn fixture() -> Fixture {
    Fixture::with_access(ITEMS, Access::open([127, 0, 0, 1].into(), 4130, LINK))
}

async fn get(fixture: &Fixture, path: &str) -> crate::support::Answer {
    let request = Request::get(path).header("host", "localhost:4129").body(Body::empty()).unwrap();
    fixture.send(request).await
}

/// The addresses of a page that lead to its host, and what its scripts fetch.
fn addresses(html: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for before in ["href=\"/", "src=\"/", "action=\"/", "data-to=\"/", "fetch('/", "url=/"] {
        for (at, _) in html.match_indices(before) {
            let address = &html[at + before.len() - 1..];
            found.push(&address[..address.find(['"', '\'', ';']).unwrap()]);
        }
    }
    found
}

#[tokio::test]
async fn every_address_of_every_page_begins_with_the_path_of_the_link() {
    let fixture = fixture();
    let project = fixture.hall.project().unwrap();
    let other = app::ProjectRoom {
        name: "r0".to_owned(),
        decisions: project.decisions().unwrap(),
        project: Project::at(project.root()).unwrap(),
    };
    assert!(fixture.hall.add_project(other));
    let set = format!("/d/{}", fixture.session);
    let mut count = 0;
    for page in [
        "/",
        &set,
        "/history",
        "/history/2020-01-01T00-00-00",
        "/flow",
        "/plans",
        "/p/r0/history",
        "/p/r0/flow",
    ] {
        // As a proxy forwards it that takes the path away, and as one that does not.
        for path in [page.to_owned(), format!("{ROOT}{page}")] {
            let answer = get(&fixture, &path).await;
            assert!(
                matches!(answer.status, StatusCode::OK | StatusCode::NOT_FOUND),
                "{path}: {}",
                answer.status
            );
            let html = answer.text();
            for address in addresses(&html) {
                assert!(address.starts_with(&format!("{ROOT}/")), "{path}: {address}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
    let form = |action: &str| format!("session={}&item-1=0&action={action}", fixture.session);
    for action in ["show", "review", "submit"] {
        let request = Request::post(format!("{ROOT}/submit"))
            .header("host", "localhost:4129")
            .header("origin", "http://localhost:4129")
            .header("content-type", "application/x-www-form-urlencoded");
        let html = fixture.send(request.body(Body::from(form(action))).unwrap()).await.text();
        for address in addresses(&html) {
            assert!(address.starts_with(&format!("{ROOT}/")), "{action}: {address}");
        }
    }
}

#[tokio::test]
async fn only_the_whole_path_leads_there_and_redirects_stay_below_it() {
    let fixture = fixture();
    for (path, status) in [
        (ROOT.to_owned(), 200),
        (format!("{ROOT}/"), 200),
        (format!("{ROOT}/?lang=en"), 200),
        (format!("{ROOT}/api/items"), 200),
        (format!("{ROOT}/app.wasm"), 200),
        (format!("{ROOT}1/"), 404),
        (format!("{ROOT}{ROOT}/"), 404),
        ("/user/ann/".to_owned(), 404),
    ] {
        // Without the assets of a release build there is no WASM.
        let status =
            if path.ends_with("wasm") { get(&fixture, "/app.wasm").await.status.as_u16() } else { status };
        assert_eq!(get(&fixture, &path).await.status.as_u16(), status, "{path}");
    }
    let answer = get(&fixture, "/submit?lang=en").await;
    assert_eq!((answer.status.as_u16(), &*answer.header("location")), (303, &*format!("{ROOT}/?lang=en")));
}

#[tokio::test]
async fn the_login_leads_below_the_path_and_its_cookie_is_for_that_alone() {
    let key = Key::generate().unwrap();
    let access = Access::guarded([127, 0, 0, 1].into(), 4130, LINK, key.clone());
    let fixture = Fixture::with_access(ITEMS, access);
    let link = key.link(LINK).unwrap();
    let path = link.strip_prefix("http://localhost:4129").unwrap();
    assert!(path.starts_with(&format!("{ROOT}/t/")), "{link}");
    let request = Request::post(path)
        .header("host", "localhost:4129")
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = fixture.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.header("refresh"), format!("0; url={ROOT}/"));
    assert!(answer.header("set-cookie").contains(&format!("; Path={ROOT}/; ")));
}
