//! The queue of captures.

mod commit_capture;
mod enqueue_capture;
mod list_capture_queue;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "captures",
    about: "Catch thoughts in a queue, and make notes of them later.",
    tools: &[
        Registered::of::<enqueue_capture::EnqueueCapture>(),
        Registered::of::<list_capture_queue::ListCaptureQueue>(),
        Registered::asking::<commit_capture::CommitCapture>(),
    ],
};
