//! A configuration that takes another's place while the program runs.
//!
//! Most settings count at once. What a process takes hold of when it starts (a port, the state, the store) stays as it
//! was until the next start, and is named, so that nobody waits for it.

use std::net::SocketAddr;

use super::{AdminConfig, Config};

impl Config {
    /// What holds when `new` takes the place of this configuration, and the settings of `new` that need a restart.
    pub fn followed_by(&self, mut new: Self) -> (Self, Vec<&'static str>) {
        let mut waiting = Vec::new();
        let mut keep = |name, is_other: bool| {
            if is_other {
                waiting.push(name);
            }
        };
        keep("store.objects", self.store.objects != new.store.objects);
        keep("store.options", self.store.options != new.store.options);
        keep("store.state", self.store.state != new.store.state);
        keep("store.patience", self.store.patience != new.store.patience);
        keep(
            "preview.allow_private",
            self.preview.allow_private != new.preview.allow_private,
        );
        keep("api.listen", self.api.listen != new.api.listen);
        keep(
            "api.metrics_listen",
            self.api.metrics_listen != new.api.metrics_listen,
        );
        keep("api.access_log", self.api.access_log != new.api.access_log);
        keep(
            "api.cache_bytes",
            self.api.cache_bytes != new.api.cache_bytes,
        );
        keep(
            "admin.listen",
            listen(self.admin.as_ref()) != listen(new.admin.as_ref()),
        );
        keep("log", self.log != new.log);
        // The API as a whole; another key for it counts at once.
        keep("api.jwt", self.api.jwt.is_some() != new.api.jwt.is_some());
        new.store = super::StoreConfig {
            keep_deployments: new.store.keep_deployments,
            ..self.store.clone()
        };
        new.preview.allow_private = self.preview.allow_private;
        new.api.listen = self.api.listen;
        new.api.metrics_listen = self.api.metrics_listen;
        new.api.access_log = self.api.access_log;
        new.api.cache_bytes = self.api.cache_bytes;
        if listen(self.admin.as_ref()) != listen(new.admin.as_ref()) {
            new.admin.clone_from(&self.admin);
        }
        new.log = self.log;
        if self.api.jwt.is_some() != new.api.jwt.is_some() {
            new.api.jwt.clone_from(&self.api.jwt);
        }
        (new, waiting)
    }
}

/// Where the admin screen listens, if it does.
fn listen(admin: Option<&AdminConfig>) -> Option<SocketAddr> {
    admin.and_then(|admin| admin.listen)
}
