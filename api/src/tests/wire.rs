//! The server over a socket: bytes in, bytes out, and its end.

use super::*;

/// Sends bytes over a socket and reads until the other side ends.
async fn over_the_wire(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_answers_over_the_wire_and_ends_when_told() {
    let app = Arc::new(app_of(&[("bakery", settings())], true).await);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = tokio::spawn(run(listener, app, async { drop(stopped.await) }));
    let long = "x".repeat(40_000);
    for (request, status, contains) in [
        (
            "GET /es/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
            "200",
            "bread and butter",
        ),
        (
            "GET /_health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
            "200",
            "ok",
        ),
        (
            "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
            "400",
            "one host",
        ),
        (
            "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n",
            "400",
            "one host",
        ),
        (
            "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "400",
            "connection: close",
        ),
        (
            "PUT / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "411",
            "length",
        ),
        (
            "GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99999999999\r\n\r\n",
            "413",
            "connection: close",
        ),
        ("nonsense\r\n\r\n", "400", ""),
        (
            &format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"),
            "414",
            "",
        ),
        (
            &format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", long),
            "431",
            "",
        ),
        (
            &format!(
                "GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n",
                "x: y\r\n".repeat(100)
            ),
            "431",
            "",
        ),
    ] {
        let answer = over_the_wire(address, request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{request:.60}: {answer:.200}"
        );
        assert!(answer.contains(contains), "{request:.60}: {answer:.400}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{request:.60}");
    }
    let head = over_the_wire(
        address,
        "HEAD /es/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    )
    .await;
    let length = body_of("es", "/").len();
    assert!(
        head.contains(&format!("content-length: {length}\r\n")) && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    let mut idle = TcpStream::connect(address).await.unwrap();
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap_or(0), 0);
    assert!(TcpStream::connect(address).await.is_err());
}
