//! Telling clients that notes they watch have changed, in both eras.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::future::join_all;
use quillgate_tools::Workspace;
use quillgate_vault::NotePath;
use rmcp::Peer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{RoleServer, SubscriptionContext};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::resources;

/// Changes that a slow listener may fall behind before it misses some.
const BACKLOG: usize = 1024;

/// Every change of a note in one view of a vault, as the URI of its resource.
#[derive(Clone)]
pub(crate) struct Changes(broadcast::Sender<Arc<str>>);

impl Changes {
    pub(crate) fn of(workspace: &Workspace) -> Changes {
        let (sender, _) = broadcast::channel(BACKLOG);
        let changes = Changes(sender.clone());
        let vault = workspace.id.clone();
        workspace.index.observe(move |path: &NotePath| {
            if sender.receiver_count() > 0 {
                let _ = sender.send(resources::uri(&vault, path).into());
            }
        });
        changes
    }
}

/// Notes by their own URI, each with the URIs that the client wrote for it: those it will recognise.
#[derive(Default)]
struct Spellings(HashMap<String, HashSet<String>>);

impl Spellings {
    fn add(&mut self, given: String) {
        self.0.entry(canonical(&given)).or_default().insert(given);
    }

    fn remove(&mut self, given: &str) {
        if let Some(spellings) = self.0.get_mut(&canonical(given)) {
            spellings.remove(given);
        }
    }
}

fn canonical(given: &str) -> String {
    resources::canonical(given).unwrap_or_else(|| given.to_owned())
}

type Uris = Mutex<HashMap<String, Spellings>>;

/// The notes that one session of an older client watches, by vault.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Uris>);

impl Watched {
    /// The first subscription in a vault starts a task that lives as long as the session.
    pub(super) fn add(&self, uri: String, vault: &str, changes: &Changes, peer: Peer<RoleServer>) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_vault = watched.entry(vault.to_owned()).or_insert_with(|| {
            tokio::spawn(forward(Arc::downgrade(&self.0), vault.to_owned(), changes.0.subscribe(), peer));
            Spellings::default()
        });
        of_vault.add(uri);
    }

    pub(super) fn remove(&self, uri: &str) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for uris in watched.values_mut() {
            uris.remove(uri);
        }
    }
}

async fn forward(watched: Weak<Uris>, vault: String, mut changes: broadcast::Receiver<Arc<str>>, peer: Peer<RoleServer>) {
    loop {
        let change = changes.recv().await;
        let Some(watched) = watched.upgrade() else { return };
        let changed = match watched.lock().unwrap_or_else(PoisonError::into_inner).get(&vault) {
            Some(watched) => changed_of(watched, &change),
            None => Some(Vec::new()),
        };
        let Some(changed) = changed else { return };
        for uri in changed {
            if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
    }
}

/// Those of `watched` that may have changed; none when there will be no more changes.
fn changed_of(watched: &Spellings, change: &Result<Arc<str>, RecvError>) -> Option<Vec<String>> {
    match change {
        Ok(uri) => Some(watched.0.get(&**uri).into_iter().flatten().cloned().collect()),
        // Which changes were missed is not known; better a word too many.
        Err(RecvError::Lagged(_)) => Some(watched.0.values().flatten().cloned().collect()),
        Err(RecvError::Closed) => None,
    }
}

/// Serves one subscription of a newer client until it ends, with the changes of every vault that it may see.
pub(super) async fn listen(vaults: &[Changes], subscription: &SubscriptionContext) {
    let mut wanted = Spellings::default();
    subscription.accepted().resource_subscriptions.iter().flatten().for_each(|uri| wanted.add(uri.clone()));
    if vaults.is_empty() {
        // Nothing that could change, and still the client's to end.
        return subscription.cancelled().await;
    }
    let listening = vaults.iter().map(|changes| listen_to(changes, &wanted, subscription));
    tokio::select! {
        _ = join_all(listening) => {}
        () = subscription.cancelled() => {}
    }
}

async fn listen_to(changes: &Changes, wanted: &Spellings, subscription: &SubscriptionContext) {
    let mut changes = changes.0.subscribe();
    loop {
        let change = tokio::select! {
            change = changes.recv() => change,
            () = subscription.cancelled() => return,
        };
        let Some(changed) = changed_of(wanted, &change) else { return };
        for uri in changed {
            if subscription.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}
