//! A server for one page and one browser, which tells its result.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long a browser may take for everything, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) struct Server {
    port: u16,
    results: Receiver<String>,
}

impl Server {
    /// Serves the files of a folder, until the process ends. The script is added to the page.
    pub(crate) fn start(folder: PathBuf, script: String) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it has an address").port();
        let (results, received) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, script, results) = (folder.clone(), script.clone(), results.clone());
                // Browsers also open connections that they do not need yet. One that hangs up has its
                // reasons.
                thread::spawn(move || serve(stream, &folder, &script, &results));
            }
        });
        Server {
            port,
            results: received,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// What the page sent to `/result`.
    pub(crate) fn result(&self) -> String {
        self.results
            .recv_timeout(PATIENCE)
            .expect("the page sent nothing")
    }
}

fn serve(
    stream: TcpStream,
    folder: &Path,
    script: &str,
    results: &Sender<String>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        match header.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut stream = reader.get_ref();
    let mut words = request.split(' ');
    let (method, path) = (words.next(), words.next().unwrap_or("/"));
    if method == Some("POST") {
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let _ = results.send(String::from_utf8_lossy(&body).into_owned());
        return reader
            .get_ref()
            .write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    }
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let Ok(mut content) = fs::read(folder.join(name)) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    };
    let kind = match Path::new(name).extension().and_then(|kind| kind.to_str()) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    if kind == "text/html" {
        content.extend_from_slice(script.as_bytes());
    }
    let length = content.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&content)
}
