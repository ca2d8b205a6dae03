//! Whoever registers clients by the thousand takes no room from those that are used.

use quillgate_state::{Location, State};

use crate::place::{NOW, Place, client, connect_to_server, grant, stories};

stories![
    used_clients_stay_whatever_comes,
    of_unused_clients_those_seen_and_those_registered_latest_stay,
    a_flood_takes_no_more_room_than_its_first_wave,
];

async fn used_clients_stay_whatever_comes(place: Place) {
    let state = place.open().await;
    for number in 0..20 {
        let id = number.to_string();
        state.add_client(&client(&id, NOW + number)).await.unwrap();
        if number < 5 {
            state.mark_client_used(&id, NOW).await.unwrap();
        }
    }
    // Its login is complete, but nobody has marked it yet.
    state.add_grant(&grant("g", "anna", "5")).await.unwrap();
    assert_eq!(state.trim_clients(0, NOW).await.unwrap(), 14);
    let mut left: Vec<_> = state.clients().await.unwrap().into_iter().map(|client| client.id).collect();
    left.sort();
    assert_eq!(left, ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(state.trim_clients(0, NOW + 1000).await.unwrap(), 1, "the grant has expired");
    assert_eq!(state.trim_clients(u64::MAX, NOW).await.unwrap(), 0);
}

async fn of_unused_clients_those_seen_and_those_registered_latest_stay(place: Place) {
    let state = place.open().await;
    for number in 0..20 {
        state.add_client(&client(&format!("{number:02}"), NOW + number)).await.unwrap();
    }
    for number in [3, 1, 7, 5, 2, 4, 6] {
        state.mark_client_seen(&format!("{number:02}"), NOW + 100 + number).await.unwrap();
    }
    assert_eq!(state.trim_clients(8, NOW).await.unwrap(), 12);
    let left: Vec<_> = state.clients().await.unwrap().into_iter().map(|client| client.id).collect();
    assert_eq!(left, ["19", "18", "07", "06", "05", "04", "03", "02"], "a quarter of the places for newcomers");
    assert_eq!(state.trim_clients(8, NOW).await.unwrap(), 0);
    assert_eq!(state.trim_clients(1, NOW).await.unwrap(), 7);
    assert_eq!(state.clients().await.unwrap()[0].id, "07");
}

async fn a_flood_takes_no_more_room_than_its_first_wave(place: Place) {
    let state = place.open().await;
    state.add_client(&client("real", NOW)).await.unwrap();
    state.mark_client_used("real", NOW).await.unwrap();
    let mut sizes = Vec::new();
    for wave in 1..=10 {
        flood(&state, wave, 1000).await;
        state.trim_clients(1000, NOW).await.unwrap();
        assert_eq!(state.count_clients().await.unwrap(), 1001);
        sizes.push(size(&place).await);
    }
    assert!(state.find_client("real").await.unwrap().is_some());
    let (second, last) = (sizes[1], sizes[9]);
    assert!(last <= second * 5 / 4, "{sizes:?}");
}

async fn flood(state: &State, wave: i64, count: i64) {
    let adding: Vec<_> = (0..count)
        .map(|number| {
            let (state, mut client) = (state.clone(), client(&format!("{wave}/{number}"), NOW + wave));
            client.metadata = "x".repeat(1000);
            tokio::spawn(async move { state.add_client(&client).await })
        })
        .collect();
    for added in adding {
        added.await.unwrap().unwrap();
    }
}

/// On disk, with what belongs to it.
async fn size(place: &Place) -> u64 {
    let path = match &place.location {
        Location::Sqlite(path) => path,
        Location::Postgres(url) => {
            let client = connect_to_server(url).await;
            // What the server does by itself from time to time.
            client.batch_execute("VACUUM clients").await.unwrap();
            let row = client.query_one("SELECT pg_total_relation_size('clients')", &[]).await.unwrap();
            return row.get::<_, i64>(0).unsigned_abs();
        }
    };
    let folder = cap_std::fs::Dir::open_ambient_dir(path.parent().unwrap(), cap_std::ambient_authority()).unwrap();
    folder.entries().unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
}
