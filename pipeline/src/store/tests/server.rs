//! An S3 server in this process, spoken to over a loopback socket, with a layer in front of it that fails as told.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};

use futures::{StreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::{Service, service_fn};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use tokio::net::TcpListener;

use super::*;

type ServerBody = UnsyncBoxBody<Bytes, io::Error>;

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFault {
    /// It is served.
    Nothing,
    /// The connection is closed and nothing was done.
    Reset,
    /// It is refused with this status and code, and nothing was done.
    Refused(u16, &'static str),
    /// It is served, but the answer breaks off in the middle.
    Cut,
    /// It is served, but there is no answer.
    LostAnswer,
}

/// Says what happens to a request, by its number, counted from 0, and its method.
pub(super) type FaultPlan = dyn Fn(usize, &Method) -> RequestFault + Send + Sync;

/// A bucket called `pages`; the server ends with the test's runtime.
pub(super) struct BucketServer {
    endpoint: String,
    requests: Arc<Mutex<Vec<Method>>>,
    plan: Arc<Mutex<Box<FaultPlan>>>,
}

impl BucketServer {
    pub(super) async fn start(folder: &Path) -> Self {
        std::fs::create_dir(folder.join("pages")).unwrap();
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder).unwrap());
        builder.set_auth(SimpleAuth::from_single("key", "secret"));
        let service = builder.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<Method>>>::default();
        let plan = Self::planned(|_, _| RequestFault::Nothing);
        let plan = Arc::new(Mutex::new(plan));
        let counted = Arc::clone(&requests);
        let planned = Arc::clone(&plan);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = service.clone();
                let counted = Arc::clone(&counted);
                let planned = Arc::clone(&planned);
                let answer = service_fn(move |request: Request<Incoming>| {
                    let number = {
                        let mut counted = counted.lock().unwrap();
                        counted.push(request.method().clone());
                        counted.len() - 1
                    };
                    let fault = planned.lock().unwrap()(number, request.method());
                    answer(service.clone(), request, fault)
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), answer),
                );
            }
        });
        Self {
            endpoint,
            requests,
            plan,
        }
    }

    fn planned(
        plan: impl Fn(usize, &Method) -> RequestFault + Send + Sync + 'static,
    ) -> Box<FaultPlan> {
        Box::new(plan)
    }

    /// From now on, and counted from 0 again.
    pub(super) fn fail(
        &self,
        plan: impl Fn(usize, &Method) -> RequestFault + Send + Sync + 'static,
    ) {
        *self.plan.lock().unwrap() = Self::planned(plan);
        self.requests.lock().unwrap().clear();
    }

    /// Requests of this method since the plan was changed.
    pub(super) fn count(&self, method: &Method) -> usize {
        self.requests
            .lock()
            .unwrap()
            .iter()
            .filter(|known| *known == method)
            .count()
    }

    pub(super) fn options(&self) -> BTreeMap<String, String> {
        let options = [
            ("aws_endpoint", self.endpoint.as_str()),
            ("aws_allow_http", "true"),
            ("aws_region", "us-east-1"),
            ("aws_access_key_id", "key"),
            ("aws_secret_access_key", "secret"),
        ];
        options
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into()
    }

    pub(super) fn objects(&self) -> Objects {
        Objects::open("s3://pages/some/prefix", &self.options()).unwrap()
    }
}

async fn answer(
    service: S3Service,
    request: Request<Incoming>,
    fault: RequestFault,
) -> io::Result<Response<ServerBody>> {
    let closed = || Err(io::ErrorKind::ConnectionReset.into());
    match fault {
        RequestFault::Reset => return closed(),
        RequestFault::Refused(status, code) => {
            let text = format!(
                "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>a fault of the test</Message></Error>"
            );
            // The whole request is read first, so that the client sees an answer and no closed connection.
            let _ = request.into_body().collect().await;
            let body = Full::from(text)
                .map_err(|never: Infallible| match never {})
                .boxed_unsync();
            let mut response = Response::new(body);
            *response.status_mut() = StatusCode::from_u16(status).unwrap();
            return Ok(response);
        }
        RequestFault::Nothing | RequestFault::Cut | RequestFault::LostAnswer => {}
    }
    let response = Service::call(&service, request)
        .await
        .map_err(|error| io::Error::other(format!("{error:?}")))?;
    let (parts, body) = response.into_parts();
    let bytes = BodyExt::collect(body)
        .await
        .map_err(|error| io::Error::other(error.to_string()))?
        .to_bytes();
    if fault == RequestFault::LostAnswer || (fault == RequestFault::Cut && bytes.is_empty()) {
        return closed();
    }
    if fault == RequestFault::Cut {
        let half = bytes.slice(..bytes.len() / 2);
        let cut = [
            Ok(Frame::data(half)),
            Err(io::ErrorKind::ConnectionReset.into()),
        ];
        let mut response = Response::from_parts(
            parts,
            StreamBody::new(stream::iter(cut).boxed()).boxed_unsync(),
        );
        response
            .headers_mut()
            .insert(hyper::header::CONTENT_LENGTH, bytes.len().into());
        return Ok(response);
    }
    let body = Full::from(bytes)
        .map_err(|never: Infallible| match never {})
        .boxed_unsync();
    Ok(Response::from_parts(parts, body))
}
