//! The same deployments in a bucket: an S3 server in this process, spoken to over a loopback socket.

use std::collections::BTreeMap;

use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;

use super::*;

/// Starts a server with one bucket and opens a store in it; the server ends with the test's runtime.
async fn bucket(folder: &Path) -> Objects {
    std::fs::create_dir(folder.join("pages")).unwrap();
    let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder).unwrap());
    builder.set_auth(SimpleAuth::from_single("key", "secret"));
    let service = builder.build();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let connection =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service.clone());
            tokio::spawn(connection);
        }
    });
    let options = [
        ("aws_endpoint", endpoint.as_str()),
        ("aws_allow_http", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "key"),
        ("aws_secret_access_key", "secret"),
    ];
    let options: BTreeMap<String, String> = options.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    Objects::open("s3://pages/some/prefix", &options).unwrap()
}

#[tokio::test]
async fn bucket_holds_the_same_deployments_as_memory() {
    let folder = scratch();
    let objects = bucket(folder.path()).await;
    let memory = Objects::memory();
    for files in [first(), second()] {
        assert_eq!(
            build(&objects, &files, settings()).await.unwrap(),
            build(&memory, &files, settings()).await.unwrap()
        );
        assert_eq!(readable(&objects).await, as_files(&files));
    }
    assert_eq!(in_store(&objects).await, in_store(&memory).await);
    assert!(!build(&objects, &second(), settings()).await.unwrap().created);
}

#[tokio::test]
async fn second_of_two_builds_is_told_by_a_bucket() {
    let folder = scratch();
    let objects = bucket(folder.path()).await;
    let slow = Draft::begin(&objects, &site()).await.unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    assert!(matches!(slow.finish(settings()).await, Err(PublishError::Overtaken { deployment: 1, .. })));
}
