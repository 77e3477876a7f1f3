//! Waits that end, over real connections, with timers that a test can wait for.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::tests::{app_of, settings};

const SHORT: Timers = Timers {
    head: Duration::from_millis(400),
    write: Duration::from_millis(400),
    linger: Duration::from_millis(100),
    farewell: Duration::from_millis(100),
    drain: Duration::from_secs(5),
};
/// More than any of these waits takes, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(5);
const PAGE: &[u8] = b"GET /es/ HTTP/1.1\r\nhost: localhost\r\n\r\n";

struct TestServer {
    app: Arc<App>,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

async fn start(timers: Timers) -> TestServer {
    let app = Arc::new(app_of(&[("bakery", settings())], true).await);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let places = ConnectionPlaces::new(connections(Some(1024)), app.front().address_limit.clone());
    let task = tokio::spawn(run_with(
        listener,
        Arc::clone(&app),
        places,
        async { drop(stopped.await) },
        timers,
    ));
    TestServer {
        app,
        address,
        stop,
        task,
    }
}

/// Reads until the other side closes; how long that took, and what came.
async fn until_closed(stream: &mut TcpStream) -> (Duration, String) {
    let started = Instant::now();
    let mut bytes = Vec::new();
    // A connection that is reset is closed too.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .expect("the connection is closed");
    (
        started.elapsed(),
        String::from_utf8_lossy(&bytes).into_owned(),
    )
}

#[test]
fn connections_leave_files_to_everything_else() {
    for (files, expected) in [
        (Some(1024), 900),
        (Some(256), 132),
        (Some(100), 50),
        (Some(1), 1),
        (Some(1 << 20), 4_000),
        (None, 4_000),
    ] {
        assert_eq!(connections(files), expected, "{files:?}");
    }
}

/// D9: clients that make the server wait are closed, each after its time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_are_closed() {
    let server = start(SHORT).await;
    for sent in [
        "",
        "GET /es/ HT",
        "GET /es/ HTTP/1.1\r\nhost: localhost\r\nx: ",
        "\r\n\r\n",
    ] {
        let mut client = TcpStream::connect(server.address).await.unwrap();
        client.write_all(sent.as_bytes()).await.unwrap();
        let (time, answer) = until_closed(&mut client).await;
        assert!(
            time >= SHORT.head / 2 && answer.is_empty(),
            "{sent:?}: {time:?} {answer}"
        );
    }
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(PAGE).await.unwrap();
    let (time, answer) = until_closed(&mut idle).await;
    assert!(
        time >= SHORT.head / 2 && answer.starts_with("HTTP/1.1 200 "),
        "{time:?}"
    );
    // A byte now and then does not give more time to a head.
    let mut dripping = TcpStream::connect(server.address).await.unwrap();
    let started = Instant::now();
    while dripping.write_all(b"G").await.is_ok() {
        assert!(started.elapsed() < PATIENCE);
        sleep(Duration::from_millis(20)).await;
    }
}

/// D9: who takes nothing of an answer is cut off, and what waited for them is let go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_never_read_are_closed() {
    let server = start(SHORT).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut client = socket.connect(server.address).await.unwrap();
    let asks = b"GET /video.mp4 HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(20);
    let started = Instant::now();
    client.write_all(&asks).await.unwrap();
    let opened = "latimer_http_connections 1\n";
    while !server.app.metrics_text().await.contains(opened) {
        assert!(
            started.elapsed() < PATIENCE,
            "{}",
            server.app.metrics_text().await
        );
        sleep(Duration::from_millis(1)).await;
    }
    while !server
        .app
        .metrics_text()
        .await
        .contains("latimer_http_connections 0\n")
    {
        assert!(
            started.elapsed() < PATIENCE,
            "{}",
            server.app.metrics_text().await
        );
        sleep(Duration::from_millis(10)).await;
    }
    assert!(started.elapsed() >= SHORT.write);
}

/// D10: who sends too much still learns so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_is_not_lost_when_the_client_still_sends() {
    let server = start(Timers {
        linger: Duration::from_secs(2),
        ..SHORT
    })
    .await;
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let head = b"PUT /es/ HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    client.write_all(head).await.unwrap();
    for _ in 0..50 {
        client
            .write_all(&[b'x'; 64 << 10])
            .await
            .expect("nothing is reset");
    }
    let mut answer = [0; 12];
    client.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 411");
}

/// D9: as many connections as there are places are served; whoever only waits for a next request makes room, and
/// whoever is answered does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (finish, finished) = watch::channel(false);
    let accepted = move |_| {
        let finished = finished.clone();
        move |request: Request<AwaitedBody>| {
            let mut finished = finished.clone();
            let is_slow = request.uri().path() != "/es/";
            async move {
                if is_slow {
                    finished.wait_for(|finished| *finished).await.unwrap();
                }
                Response::new(Full::<Bytes>::from("yes"))
            }
        }
    };
    let places = ConnectionPlaces::new(2, AddressLimit::default());
    tokio::spawn(listen(
        listener,
        places,
        Timers::default(),
        accepted,
        std::future::pending(),
    ));
    let ask = async |request: &[u8]| {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request).await.unwrap();
        client
    };
    const SLOW: &[u8] = b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut slow = ask(SLOW).await;
    let mut byte = [0; 1];
    // Each is answered, and idle then, and the next one gets its place.
    for _ in 0..3 {
        timeout(PATIENCE, ask(PAGE).await.read_exact(&mut byte))
            .await
            .unwrap()
            .unwrap();
    }
    let mut also_slow = ask(SLOW).await;
    let mut late = ask(PAGE).await;
    assert!(
        timeout(Duration::from_millis(300), late.read_exact(&mut byte))
            .await
            .is_err()
    );
    finish.send(true).unwrap();
    for client in [&mut slow, &mut also_slow, &mut late] {
        timeout(PATIENCE, client.read_exact(&mut byte))
            .await
            .unwrap()
            .unwrap();
    }
}

/// C14: at the end, who waits is closed at once, who is answered is not cut off, and late requests are answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn end_cuts_no_answer_off() {
    let server = start(Timers {
        head: PATIENCE,
        write: PATIENCE,
        farewell: Duration::from_millis(500),
        ..SHORT
    })
    .await;
    let connect = || async { TcpStream::connect(server.address).await.unwrap() };
    let mut silent = connect().await;
    let mut idle = connect().await;
    let mut late = connect().await;
    let mut loading = connect().await;
    for client in [&mut idle, &mut late] {
        client.write_all(PAGE).await.unwrap();
        client.read_exact(&mut [0; 12]).await.unwrap();
    }
    loading
        .write_all(b"GET /video.mp4 HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    loading.read_exact(&mut [0; 12]).await.unwrap();
    let started = Instant::now();
    server.stop.send(()).unwrap();
    // The end has begun when a new connection is told that its answer is its last.
    loop {
        let mut new = connect().await;
        new.write_all(PAGE).await.unwrap();
        let mut head = [0; 512];
        let length = new.read(&mut head).await.unwrap();
        let head = String::from_utf8_lossy(&head[..length]).into_owned();
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        if head.contains("connection: close") {
            break;
        }
    }
    late.write_all(PAGE).await.unwrap();
    let (_, answers) = until_closed(&mut late).await;
    assert_eq!(answers.matches("connection: close").count(), 1);
    for client in [&mut silent, &mut idle] {
        until_closed(client).await;
    }
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    let (_, video) = until_closed(&mut loading).await;
    assert!(video.len() > 3_000_000);
    timeout(PATIENCE, server.task).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_counted_and_metrics_can_be_read() {
    let server = start(SHORT).await;
    let ask = |address, path: &'static str| async move {
        let mut client = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        until_closed(&mut client).await.1
    };
    for path in ["/es/", "/es/", "/nothing", "/_health/live", "/_metrics"] {
        ask(server.address, path).await;
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(run_metrics(
        listener,
        Arc::clone(&server.app),
        std::future::pending(),
    ));
    let text = ask(address, "/_metrics").await;
    for expected in [
        "latimer_http_requests_total{kind=\"page\",status=\"2xx\"} 2\n",
        "latimer_http_requests_total{kind=\"page\",status=\"4xx\"} 2\n",
        "latimer_http_requests_total{kind=\"health\",status=\"2xx\"} 1\n",
        "latimer_http_request_duration_seconds_count{kind=\"page\"} 4\n",
        "latimer_http_request_duration_seconds_count{kind=\"health\"} 1\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in:\n{text}");
    }
    assert!(ask(address, "/").await.starts_with("HTTP/1.1 404 "));
}
