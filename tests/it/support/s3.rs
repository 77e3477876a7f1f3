//! A bucket: an S3 server in this process, spoken to over a loopback socket.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as Lock};

use hyper::header::IF_NONE_MATCH;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// A bucket called `pages`; the server ends with this value.
pub struct Bucket {
    endpoint: String,
    folder: PathBuf,
    away: Arc<AtomicBool>,
    asked: Arc<Asked>,
    _runtime: tokio::runtime::Runtime,
}

/// What was asked for.
#[derive(Default)]
struct Asked {
    requests: AtomicUsize,
    puts: AtomicUsize,
    /// One request in so many fails; 0 is none.
    fails: AtomicUsize,
    /// How long each writing takes, in milliseconds.
    slow: AtomicUsize,
    refuses: Lock<Refuses>,
    /// What was said about each object when it was written, by its path.
    said: Lock<BTreeMap<String, Said>>,
}

/// Requests that a bucket refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refuses {
    #[default]
    Nothing,
    /// Requests that change something, as with credentials that may only read.
    Writing,
    /// All requests, as if the bucket did not exist.
    Everything,
}

impl Refuses {
    fn answer(self, method: &hyper::Method) -> Option<hyper::Response<s3s::Body>> {
        let (status, code) = match self {
            Self::Nothing => return None,
            Self::Writing if method == hyper::Method::GET => return None,
            Self::Writing => (403, "AccessDenied"),
            Self::Everything => (404, "NoSuchBucket"),
        };
        let said = format!("<Error><Code>{code}</Code><Message>{code}</Message></Error>");
        Some(
            hyper::Response::builder()
                .status(status)
                .body(s3s::Body::from(said))
                .unwrap(),
        )
    }
}

/// The headers that go with an object.
pub type Said = BTreeMap<&'static str, String>;

const KEPT: [&str; 4] = [
    "content-type",
    "cache-control",
    "content-encoding",
    "content-language",
];

/// The settings of a bucket behind an endpoint.
pub fn options(endpoint: &str) -> String {
    format!(
        "{{ aws_endpoint = \"{endpoint}\", aws_allow_http = \"true\", aws_region = \"us-east-1\", aws_skip_signature = \"true\" }}"
    )
}

impl Bucket {
    /// Serves a bucket whose objects lie in an empty folder.
    pub fn start(folder: &Path) -> Self {
        std::fs::create_dir_all(folder.join("pages")).unwrap();
        // Without credentials, which would have to stand in the environment of every program that a test starts.
        let service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder).unwrap()).build();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        // This server looks whether a key is taken and then writes it; a real one does both in one step.
        let creating = Arc::new(Mutex::new(()));
        let away = Arc::new(AtomicBool::new(false));
        let is_away = Arc::clone(&away);
        let asked = Arc::new(Asked::default());
        let counts = Arc::clone(&asked);
        runtime.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = service.clone();
                let creating = Arc::clone(&creating);
                let is_away = Arc::clone(&is_away);
                let counts = Arc::clone(&counts);
                let answer = service_fn(move |request| {
                    let counts = Arc::clone(&counts);
                    let service = service.clone();
                    let creating = Arc::clone(&creating);
                    let is_away = Arc::clone(&is_away);
                    async move {
                        if is_away.load(Ordering::Relaxed) {
                            return Err(io::Error::from(io::ErrorKind::ConnectionReset));
                        }
                        let request: hyper::Request<hyper::body::Incoming> = request;
                        let is_put = request.method() == hyper::Method::PUT;
                        counts
                            .puts
                            .fetch_add(usize::from(is_put), Ordering::Relaxed);
                        if is_put {
                            let header = |name| {
                                Some((name, request.headers().get(name)?.to_str().ok()?.to_owned()))
                            };
                            let said: Said = KEPT.into_iter().filter_map(header).collect();
                            counts
                                .said
                                .lock()
                                .unwrap()
                                .insert(request.uri().path().to_owned(), said);
                        }
                        let number = counts.requests.fetch_add(1, Ordering::Relaxed);
                        let fails = counts.fails.load(Ordering::Relaxed);
                        if fails > 0 && number % fails == 0 {
                            return Err(io::Error::from(io::ErrorKind::ConnectionReset));
                        }
                        let refuses = *counts.refuses.lock().unwrap();
                        if let Some(answer) = refuses.answer(request.method()) {
                            return Ok(answer);
                        }
                        if is_put {
                            let slow = counts.slow.load(Ordering::Relaxed);
                            tokio::time::sleep(std::time::Duration::from_millis(slow as u64)).await;
                        }
                        let alone = match request.headers().contains_key(IF_NONE_MATCH) {
                            true => Some(creating.lock().await),
                            false => None,
                        };
                        let answer = hyper::service::Service::call(&service, request).await;
                        drop(alone);
                        answer.map_err(|error| io::Error::other(format!("{error:?}")))
                    }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), answer),
                );
            }
        });
        Self {
            endpoint,
            folder: folder.to_path_buf(),
            away,
            asked,
            _runtime: runtime,
        }
    }

    /// How often something was to be written.
    pub fn puts(&self) -> usize {
        self.asked.puts.load(Ordering::Relaxed)
    }

    /// The folder in which its objects lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was said about each object when it was written, by its path.
    pub fn said(&self) -> BTreeMap<String, Said> {
        self.asked.said.lock().unwrap().clone()
    }

    /// From now on it refuses these requests.
    pub fn refuse(&self, refuses: Refuses) {
        *self.asked.refuses.lock().unwrap() = refuses;
    }

    /// From now on one request in so many fails.
    pub fn fail_each(&self, requests: usize) {
        self.asked.fails.store(requests, Ordering::Relaxed);
    }

    /// From now on each writing takes so many milliseconds.
    pub fn slow_down(&self, milliseconds: usize) {
        self.asked.slow.store(milliseconds, Ordering::Relaxed);
    }

    /// A target of publishing that leads here.
    pub fn target(&self, host: &str) -> String {
        format!(
            "[publish.live]\nkind = \"s3\"\nhost = \"{host}\"\nto = \"s3://pages/www\"\noptions = {}\n",
            self.options()
        )
    }

    fn options(&self) -> String {
        options(&self.endpoint)
    }

    /// From now on it closes every connection without an answer, or answers again.
    pub fn go_away(&self, away: bool) {
        self.away.store(away, Ordering::Relaxed);
    }

    /// The `[store]` keys that lead here.
    pub fn store(&self) -> String {
        format!(
            "objects = \"s3://pages/some/prefix\"\noptions = {}\n",
            self.options()
        )
    }
}
