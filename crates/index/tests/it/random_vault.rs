//! Random vaults: few names in few folders, so that links often find namesakes, and every way to write a link.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

const FOLDERS: &[&str] = &["", "a", "b", "a/b", "a/c d", "Ü"];
const NAMES: &[&str] =
    &["A.md", "B.md", "Note.md", "v1.2.md", "v1.2", "long name.md", "Ünï (x).md", "pic.png", "ΛΟΓΟΣ.md", "B.md.md"];

const BOARDS: &[&str] = &["Board.canvas", "a/Board.canvas", "b/Note.canvas"];

#[derive(Clone, Debug)]
pub(crate) struct RandomVault {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) format: &'static str,
}

#[derive(Clone, Debug)]
struct Link {
    target: Index,
    form: u8,
    kind: u8,
    subpath: &'static str,
    display: Option<&'static str>,
}

pub(crate) fn path() -> impl Strategy<Value = String> {
    (select(FOLDERS), select(NAMES)).prop_map(|(folder, name)| join(folder, name))
}

pub(crate) fn vault() -> impl Strategy<Value = RandomVault> {
    let paths = prop::collection::btree_set(path(), 2..9);
    let format = select(vec!["shortest", "relative", "absolute"]);
    (paths, prop::collection::vec(prop::collection::vec(link(), 0..7), 9), format, any::<bool>()).prop_map(
        |(paths, links, format, crlf)| {
            let paths: Vec<String> = paths.into_iter().collect();
            let text = |at: usize, path: &String| {
                if path.ends_with(".md") { note(path, &paths, &links[at], crlf) } else { String::new() }
            };
            let files = paths.iter().enumerate().map(|(at, path)| (path.clone(), text(at, path))).collect();
            RandomVault { files, format }
        },
    )
}

/// The same with canvases, whose nodes and texts are links too.
pub(crate) fn vault_with_boards() -> impl Strategy<Value = RandomVault> {
    let boards = prop::collection::btree_map(select(BOARDS), prop::collection::vec(link(), 0..5), 0..3);
    (vault(), boards).prop_map(|(mut vault, boards)| {
        let paths: Vec<String> = vault.files.keys().cloned().collect();
        let boards = boards.into_iter().map(|(path, links)| (path.to_owned(), board(path, &paths, &links)));
        vault.files.extend(boards);
        vault
    })
}

fn board(source: &str, paths: &[String], links: &[Link]) -> String {
    let node = |link: &Link| match link.kind {
        0..3 => json!({"type": "file", "file": paths[link.target.index(paths.len())], "x": 1.5}),
        3 => json!({"type": "file", "file": link_path(source, &paths[link.target.index(paths.len())], link.form)}),
        _ => json!({"type": "text", "text": format!("see {} \"there\"", written(source, paths, link))}),
    };
    json!({"nodes": links.iter().map(node).collect::<Vec<_>>(), "own": true}).to_string()
}

fn link() -> impl Strategy<Value = Link> {
    let subpath = select(vec!["", "", "#Head", "#H1#H2", "#^block"]);
    let display = select(vec![None, None, Some("shown"), Some("A"), Some("Note")]);
    (any::<Index>(), 0..8u8, 0..6u8, subpath, display).prop_map(|(target, form, kind, subpath, display)| Link {
        target,
        form,
        kind,
        subpath,
        display,
    })
}

fn note(source: &str, paths: &[String], links: &[Link], crlf: bool) -> String {
    let (properties, body): (Vec<&Link>, Vec<&Link>) = links.iter().partition(|link| link.kind == 5);
    let mut text = String::new();
    if !properties.is_empty() {
        let lines = properties.iter().enumerate().map(|(at, link)| format!("up{at}: \"{}\"\n", written(source, paths, link)));
        text = format!("---\n{}---\n", lines.collect::<String>());
    }
    for link in body {
        text.push_str(&format!("A text with {} in it, `[[A]]` and [x](https://a.b/A.md).\n\n", written(source, paths, link)));
    }
    if crlf { text.replace('\n', "\r\n") } else { text }
}

fn written(source: &str, paths: &[String], link: &Link) -> String {
    let path = link_path(source, &paths[link.target.index(paths.len())], link.form);
    let display = link.display.map(|display| format!("|{display}")).unwrap_or_default();
    let encoded = path.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
    match link.kind {
        0 | 5 => format!("[[{path}{}{display}]]", link.subpath),
        1 => format!("![[{path}{}{display}]]", link.subpath),
        2 => format!("[{}]({encoded}{})", link.display.unwrap_or("text"), link.subpath),
        3 => format!("![{}](<{path}{}>)", link.display.unwrap_or("alt"), link.subpath),
        _ => format!("[{}](<{path}{}> \"title\")", link.display.unwrap_or("text"), link.subpath),
    }
}

/// The ways to name a file from another one; some mean another file, some none.
fn link_path(source: &str, target: &str, form: u8) -> String {
    let bare = target.strip_suffix(".md").unwrap_or(target);
    let name = bare.rsplit('/').next().unwrap();
    let up = "../".repeat(source.matches('/').count());
    match form {
        0 => name.to_owned(),
        1 => target.rsplit('/').next().unwrap().to_owned(),
        2 => bare.to_owned(),
        3 => target.to_owned(),
        4 => format!("/{bare}"),
        5 => format!("{}{bare}", if up.is_empty() { "./" } else { &up }),
        6 => name.to_lowercase(),
        _ => format!("missing/{name}"),
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
