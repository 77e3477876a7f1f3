//! The nginx that `tests/run` got, beside the tests' own servers.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::web::PATIENCE;
use super::{api, tool};

/// A running nginx; ends with this value.
pub struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        end(&mut self.0);
    }
}

/// Ends a server. Workers would outlive a master that is killed.
pub fn end(server: &mut Child) {
    let _ = Command::new("kill")
        .args(["-TERM", &server.id().to_string()])
        .status();
    let _ = server.wait();
}

/// The configuration around what stands in `http`; what nginx writes lies in a folder.
pub fn configuration(folder: &Path, http: &str) -> String {
    let folder = folder.display();
    format!(
        "daemon off; worker_processes 1; pid {folder}/pid; error_log stderr notice; user root;\n\
         events {{ }}\nhttp {{ access_log off; client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;\n\
         fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;\n{http} }}\n"
    )
}

impl Nginx {
    /// Starts nginx with what stands in `http`, and waits until it listens at an address.
    pub fn start(folder: &Path, http: &str, address: &str) -> Self {
        let tools = tool("LATIMER_TEST_HOSTS");
        fs::create_dir_all(folder).unwrap();
        let config = folder.join("config");
        fs::write(&config, configuration(folder, http)).unwrap();
        let said = folder.join("said");
        let mut command = Command::new(tools.join("usr/sbin/nginx"));
        command
            .arg("-p")
            .arg(folder)
            .arg("-c")
            .arg(&config)
            .args(["-e", "stderr"]);
        command
            .env("LD_LIBRARY_PATH", tools.join("usr/lib/x86_64-linux-gnu"))
            .stdin(Stdio::null());
        let nginx = Self(
            command
                .stdout(Stdio::null())
                .stderr(File::create(&said).unwrap())
                .spawn()
                .unwrap(),
        );
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(address).is_err() {
            assert!(
                Instant::now() < deadline,
                "{}",
                fs::read_to_string(&said).unwrap()
            );
            api::pause(Duration::from_millis(20));
        }
        nginx
    }
}
