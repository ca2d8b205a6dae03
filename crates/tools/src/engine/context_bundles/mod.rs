//! Many notes as one text.

mod bundle;
mod bundle_files;
mod bundle_folder;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "context_bundles",
    about: "Read many notes as one text.",
    tools: &[Registered::of::<bundle_folder::BundleFolder>(), Registered::of::<bundle_files::BundleFiles>()],
};
