//! A database of an older version becomes one of this version and loses nothing.

use quillgate_state::{AuditRow, Location, State};

use crate::audit::call;
use crate::place::{NOW, Place, connect, connect_to_server, stories, user};

stories![version_1_becomes_what_a_new_one_is, many_may_open_an_old_database_at_once, a_blocking_thread_may_use_it];

async fn version_1(place: &Place) {
    if matches!(place.location, Location::Sqlite(_)) {
        place.run("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA application_id = 1363637108").await;
    }
    place.run(include_str!("version_1.sql")).await;
}

/// Every column and index, in words.
async fn shape(place: &Place) -> Vec<String> {
    match &place.location {
        Location::Sqlite(path) => {
            let connection = connect(path);
            let mut statement = connection.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").unwrap();
            let words = |sql: Option<String>| sql.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            let rows = statement.query_map([], |row| Ok(format!("{} {}", row.get::<_, String>(0)?, words(row.get(1)?)))).unwrap();
            rows.map(Result::unwrap).map(|row| row.replace("( ", "(")).collect()
        }
        Location::Postgres(url) => {
            let sql = "SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable
                    FROM information_schema.columns WHERE table_schema = 'public'
                UNION SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1";
            connect_to_server(url).await.query(sql, &[]).await.unwrap().into_iter().map(|row| row.get(0)).collect()
        }
    }
}

async fn version_1_becomes_what_a_new_one_is(place: Place) {
    version_1(&place).await;
    let state = place.open().await;
    assert_eq!(state.find_user("anna").await.unwrap(), Some(user("anna")));
    let mut head = state.start_audit("one", NOW * 1000).await.unwrap();
    state.append_audit(&mut head, &[call(NOW * 1000), AuditRow::gap(NOW * 1000, 1)]).await.unwrap();
    drop(state);
    assert_eq!(place.open().await.verify_audit().await.unwrap().rows, 2, "opened again it is up to date");

    let new = if matches!(place.location, Location::Sqlite(_)) { Place::sqlite().await } else { Place::postgres().await };
    new.open().await;
    let expected = shape(&new).await;
    assert!(expected.len() > 40, "{expected:?}");
    assert_eq!(shape(&place).await, expected);
}

async fn many_may_open_an_old_database_at_once(place: Place) {
    version_1(&place).await;
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let location = place.location.clone();
            tokio::spawn(async move { State::open(&location).await })
        })
        .collect();
    for state in opening {
        let state = state.await.unwrap().unwrap();
        assert_eq!(state.users().await.unwrap(), [user("anna")]);
        assert_eq!(state.verify_audit().await.unwrap().chains, 0);
    }
}

/// As tools do, which are not asynchronous.
async fn a_blocking_thread_may_use_it(place: Place) {
    let state = place.open().await;
    let runtime = tokio::runtime::Handle::current();
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let (state, runtime) = (state.clone(), runtime.clone());
            tokio::task::spawn_blocking(move || {
                runtime.block_on(state.put_user(&user(&number.to_string()))).unwrap();
                runtime.block_on(state.find_user(&number.to_string())).unwrap()
            })
        })
        .collect();
    for thread in threads {
        assert!(thread.await.unwrap().is_some());
    }
}
