//! The history through a handle that may not read everything: as if the rest had no past.

use quillgate_vault::{
    Expect, FileChange, Filter, Folders, OnConflict, Operation, RulesSource, Side, TrashOption, Undo, Vault, VaultError,
};

use crate::access::{access, globs};
use crate::history::Past;
use crate::place::note;

fn restricted(past: &Past) -> Vault {
    let source = RulesSource { read_paths: globs(&["open/**"]), ..RulesSource::default() };
    past.vault.with_access(access(&source, &[]))
}

fn paths(change: &[FileChange]) -> Vec<&str> {
    change.iter().flat_map(FileChange::paths).map(|path| path.as_str()).collect()
}

#[test]
fn only_files_that_may_be_read_have_a_past() {
    let past = Past::new();
    let secret = past.write("secret/a.md", "secret\n");
    let open = past.write("open/a.md", "open\n");
    let both = past.vault.transaction(Folders::Create).write(note("open/a.md"), b"open 2\n".to_vec(), Expect::Anything);
    let both = both.write(note("secret/a.md"), b"secret 2\n".to_vec(), Expect::Anything).commit().unwrap().change.unwrap();
    let hidden = past.rename("secret/a.md", "secret/b.md");
    let out = past.rename("open/a.md", "secret/c.md");
    let back = past.rename("secret/c.md", "open/a.md");
    let vault = restricted(&past);
    let history = vault.history().unwrap();
    let listed = history.list(&Filter::default(), None, 100).unwrap();
    assert_eq!(listed.iter().map(|change| change.id).collect::<Vec<_>>(), [both, open]);
    assert_eq!(paths(&listed[0].files), ["open/a.md"]);
    for change in [secret, hidden, out, back] {
        assert!(matches!(history.find(change), Err(VaultError::NoChange(_))));
        assert!(matches!(history.diff(change, 100), Err(VaultError::NoChange(_))));
        let undo = vault.plan_undo(&Undo::Changes(vec![change]), OnConflict::Refuse);
        assert!(matches!(undo, Err(VaultError::NoChange(_))));
    }
    assert_eq!(history.diff(both, 1000).unwrap().len(), 1);
    assert!(matches!(history.image(both, &note("secret/a.md"), Side::Before), Err(VaultError::NotFound(_))));
    let is_forbidden = |error| matches!(error, VaultError::Forbidden { operation: Operation::Read, .. });
    assert!(history.read_at(&note("secret/a.md"), past.pass(1)).is_err_and(is_forbidden));
    let filter = Filter { path: Some(note("secret/a.md")), ..Filter::default() };
    assert!(history.list(&filter, None, 1).is_err_and(is_forbidden));
    assert_eq!(past.all().len(), 6);
}

#[test]
fn undoing_touches_only_what_may_be_seen() {
    let past = Past::new();
    let change = past.vault.transaction(Folders::Create).write(note("open/a.md"), b"1".to_vec(), Expect::Anything);
    let change = change.write(note("secret/a.md"), b"1".to_vec(), Expect::Anything).commit().unwrap().change.unwrap();
    let vault = restricted(&past);
    let plan = vault.plan_undo(&Undo::All(Filter::default()), OnConflict::Refuse).unwrap();
    assert_eq!(plan.changes, [change]);
    plan.commit().unwrap().unwrap();
    assert_eq!(past.place.walked(), ["secret/a.md"]);
    // Who sees all of it can take back the rest.
    let plan = past.vault.plan_undo(&Undo::Changes(vec![change]), OnConflict::Refuse).unwrap();
    plan.commit().unwrap().unwrap();
    assert!(past.place.walked().is_empty());
}

#[test]
fn undoing_is_a_change_like_any_other() {
    let past = Past::new();
    past.write("a.md", "1");
    let edit = past.write("a.md", "2");
    let commit = |source: RulesSource| {
        let vault = past.vault.with_access(access(&source, &[]));
        vault.plan_undo(&Undo::Changes(vec![edit]), OnConflict::Refuse).unwrap().commit()
    };
    let read_only = commit(RulesSource { read_only: true, ..RulesSource::default() });
    assert!(matches!(read_only, Err(VaultError::ReadOnlyMode)));
    let not_here = commit(RulesSource { write_paths: globs(&["b/**"]), ..RulesSource::default() });
    assert!(matches!(not_here, Err(VaultError::Forbidden { operation: Operation::Write, .. })));
    assert_eq!(past.place.bytes("a.md"), b"2");
    assert!(past.vault.remove(&note("a.md"), TrashOption::None).is_ok());
}
