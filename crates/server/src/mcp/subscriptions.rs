//! Telling clients that notes they watch have changed, in both eras.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use quillgate_index::Index;
use quillgate_vault::NotePath;
use rmcp::Peer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{RoleServer, SubscriptionContext};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::resources;

/// Changes that a slow listener may fall behind before it misses some.
const BACKLOG: usize = 1024;

/// Every change of a note, as the URI of its resource.
#[derive(Clone)]
pub(super) struct Changes(broadcast::Sender<Arc<str>>);

impl Changes {
    /// Without an index nothing ever changes.
    pub(super) fn of(index: Option<&Index>) -> Changes {
        let (sender, _) = broadcast::channel(BACKLOG);
        let changes = Changes(sender.clone());
        let Some(index) = index else { return changes };
        let vault = index.vault().clone();
        index.observe(move |path: &NotePath| {
            if sender.receiver_count() > 0 {
                let _ = sender.send(resources::uri(&vault, path).into());
            }
        });
        changes
    }
}

/// The notes that one session of an older client watches.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Mutex<Option<HashSet<String>>>>);

impl Watched {
    /// The first subscription starts a task that lives as long as the session.
    pub(super) fn add(&self, uri: String, changes: &Changes, peer: Peer<RoleServer>) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.is_none() {
            tokio::spawn(forward(Arc::downgrade(&self.0), changes.0.subscribe(), peer));
        }
        watched.get_or_insert_default().insert(uri);
    }

    pub(super) fn remove(&self, uri: &str) {
        if let Some(watched) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            watched.remove(uri);
        }
    }
}

async fn forward(
    watched: Weak<Mutex<Option<HashSet<String>>>>,
    mut changes: broadcast::Receiver<Arc<str>>,
    peer: Peer<RoleServer>,
) {
    loop {
        let change = changes.recv().await;
        let Some(watched) = watched.upgrade() else { return };
        let changed = match &*watched.lock().unwrap_or_else(PoisonError::into_inner) {
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
fn changed_of(watched: &HashSet<String>, change: &Result<Arc<str>, RecvError>) -> Option<Vec<String>> {
    match change {
        Ok(uri) => Some(watched.get(&**uri).cloned().into_iter().collect()),
        // Which changes were missed is not known; better a word too many.
        Err(RecvError::Lagged(_)) => Some(watched.iter().cloned().collect()),
        Err(RecvError::Closed) => None,
    }
}

/// Serves one subscription of a newer client until it ends.
pub(super) async fn listen(changes: &Changes, subscription: &SubscriptionContext) {
    let wanted: HashSet<String> = subscription.accepted().resource_subscriptions.iter().flatten().cloned().collect();
    let mut changes = changes.0.subscribe();
    loop {
        let change = tokio::select! {
            change = changes.recv() => change,
            () = subscription.cancelled() => return,
        };
        let Some(changed) = changed_of(&wanted, &change) else { return };
        for uri in changed {
            if subscription.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}
