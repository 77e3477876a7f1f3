//! Buckets: reachability and access, within seconds; a build would wait for minutes.

use std::time::Duration;

use pipeline::causes::chain;
use pipeline::store::{Objects, StoreAccess, StoreError};
use tokio::time::timeout;

use super::finding::{DoctorFinding, DoctorHealth};

/// Bound of the time in which requests are repeated to a bucket that refuses connections or answers with failures.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Bound of a look at a bucket, for one that accepts connections and says nothing.
const LONGEST: Duration = Duration::from_secs(10);

/// Looks at the bucket of the store; the error is a finding after which there is nothing else to see in it.
pub(super) async fn look(
    what: &str,
    address: &str,
    objects: &Objects,
) -> Result<DoctorFinding, DoctorFinding> {
    match in_time(objects.try_out()).await {
        Ok(StoreAccess::Whole) => Ok(DoctorFinding::new(
            what,
            DoctorHealth::Good,
            format!("{address}, where a file was put and removed"),
        )),
        Ok(StoreAccess::Reading(refused)) => {
            let found = format!(
                "{address} can be read, which is enough for `latimer serve --pages-only`; a build has to write there, too: {}",
                chain(&refused)
            );
            Ok(DoctorFinding::new(what, DoctorHealth::Poor, found))
        }
        Err(error) => Err(DoctorFinding::new(what, DoctorHealth::Bad, error)),
    }
}

/// Waits for what a bucket is asked, within bounds.
pub(super) async fn in_time<T>(
    asking: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, String> {
    match timeout(LONGEST, asking).await {
        Ok(answer) => answer.map_err(|error| chain(&error)),
        Err(_) => Err(format!(
            "the bucket did not answer within {} seconds; check the network, and the endpoint in the environment or in the \
             options of the bucket",
            LONGEST.as_secs()
        )),
    }
}
