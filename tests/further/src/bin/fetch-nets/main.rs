//! Fetches released nets into the cache, each checked against its name.
//!
//! Nets are taken from the packages of the engines that they were released with, by the registries'
//! own clients. The exit code tells three failures apart, so that a failed check is never taken for
//! a bad connection.

mod wasm;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode},
    thread,
    time::Duration,
};

use clap::Parser;
use nnue_test_support::nets::{NETS, Net, NetError, Source, cache_dir, cached};

use crate::wasm::linear_memory;

const NOTES: &str = "\
Exit codes: 0 everything is there; 1 something that was fetched is not the net, do not use it; 2 \
nothing could be tried (arguments, a missing program, the disk); 3 a download failed.

Example: cargo run -p nnue-further-tests --bin fetch-nets -- nn-ad9b42354671";

/// Fetch released nets into $NNUE_NETS, by default `nnue-nets` in the user's cache folder
#[derive(Debug, Parser)]
#[command(after_help = NOTES, max_term_width = 100)]
struct Arguments {
    /// A net's name, as `nn-ad9b42354671`; by default those that the tests use and that are not part
    /// of the repository
    #[arg(value_name = "NAME", value_parser = net)]
    nets: Vec<&'static Net>,
    /// Fetch every known net, about 1 GB of downloads
    #[arg(long, conflicts_with = "nets")]
    all: bool,
    /// Show what is known, where it comes from and what is already there
    #[arg(long, conflicts_with_all = ["nets", "all"])]
    list: bool,
}

fn net(name: &str) -> Result<&'static Net, NetError> {
    Net::named(name).ok_or_else(|| NetError::Unknown { name: name.into() })
}

/// The nets that tests use and that are not part of the repository.
const DEFAULT_NETS: &[&str] = &[
    "nn-82215d0fd0df",
    "nn-26abeed38351",
    "nn-13406b1dcbe0",
    "nn-6877cd24400e",
    "nn-ad9b42354671",
    "nn-5af11540bbfe",
    "nn-1c0000000000",
    "nn-c288c895ea92",
    "nn-1a298aa575a0",
];

/// Seconds to wait after a failed download, before the next try. Short: the clients wait and try
/// again by themselves.
const PAUSES: [u64; 2] = [1, 4];

/// Why a net was not fetched. The most serious reason comes first, and has the lowest exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// The file is not the one that was published.
    Check(String),
    /// This machine lacks a program or a permission.
    Local(String),
    /// The server or the connection failed.
    Download(String),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        list();
        return ExitCode::SUCCESS;
    }
    let is_default = |net: &&Net| DEFAULT_NETS.contains(&net.name);
    let nets = match (arguments.all, &*arguments.nets) {
        (true, _) => NETS.iter().collect(),
        (false, []) => NETS.iter().filter(is_default).collect(),
        (false, named) => named.to_vec(),
    };
    ExitCode::from(match WorkFolder::new() {
        Ok(work) => fetch_all(&nets, &work),
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    })
}

fn list() {
    println!("cache: {}", cache_dir().display());
    for net in NETS {
        let Net {
            name,
            generation,
            bytes,
            source,
        } = net;
        let place = cached(name).map_or("not here".to_owned(), |path| path.display().to_string());
        println!("{name}  {generation:<8}  {bytes:>9} bytes  {source}\n    {place}");
    }
}

/// Fetches the nets that are not there yet; the exit code is that of the most serious failure.
fn fetch_all(nets: &[&Net], work: &WorkFolder) -> u8 {
    let mut failures = Vec::new();
    for net in nets {
        let path = net.cache_path();
        if fs::read(&path).is_ok_and(|bytes| net.check(&bytes).is_ok()) {
            println!("{}: already there, {}", net.name, path.display());
            continue;
        }
        println!("{}: fetching from {}", net.name, net.source);
        match obtain(net, work).and_then(|bytes| install(net, &bytes, work)) {
            Ok(()) => println!("{}: checked, {}", net.name, path.display()),
            Err(failure) => {
                eprintln!("error: {}: {failure}", net.name);
                failures.push(failure.exit_code());
            }
        }
    }
    failures.into_iter().min().unwrap_or(0)
}

/// The content of a net, from its source, checked.
fn obtain(net: &Net, work: &WorkFolder) -> Result<Vec<u8>, Failure> {
    let not_the_net = |error: NetError| Failure::Check(error.to_string());
    match net.source {
        Source::Npm {
            package,
            version,
            path,
        } => {
            let bytes = npm_files(package, version, &[path], work)?;
            net.check(&bytes).map_err(not_the_net)?;
            Ok(bytes)
        }
        Source::NpmWasm {
            package,
            version,
            paths,
        } => {
            let module = npm_files(package, version, paths, work)?;
            let memory = linear_memory(&module)
                .map_err(|error| Failure::Check(format!("{}: {error}", paths[0])))?;
            Ok(net.cut(&memory).map_err(not_the_net)?.to_vec())
        }
        Source::DebianStockfish { version } => {
            // The net is cut out of the executable rather than exported by it: this way it need not
            // run here.
            let executable = debian_file("stockfish", version, "usr/games/stockfish", work)?;
            Ok(net.cut(&executable).map_err(not_the_net)?.to_vec())
        }
    }
}

/// Files of an npm package, joined.
fn npm_files(
    package: &str,
    version: &str,
    paths: &[&str],
    work: &WorkFolder,
) -> Result<Vec<u8>, Failure> {
    let archive = format!("{package}-{version}.tgz");
    // Several nets may be in the same package, which is then downloaded once.
    if !work.path.join(&archive).is_file() {
        download(
            work.command("npm")
                .args(["pack", "--silent", &format!("{package}@{version}")]),
        )?;
    }
    run(
        work.command("tar").args(["-xzf", &archive]).args(paths),
        Failure::Check,
    )?;
    let mut joined = Vec::new();
    for path in paths {
        joined.extend(work.take(path)?);
    }
    Ok(joined)
}

/// A file of a Debian package.
fn debian_file(
    package: &str,
    version: &str,
    path: &str,
    work: &WorkFolder,
) -> Result<Vec<u8>, Failure> {
    // Package lists may be missing or old. Only root can update them. Other users may still have
    // good lists, so the download is tried in any case.
    if let Err(failure) = run(
        work.command("apt-get").args(["update", "-qq"]),
        Failure::Download,
    ) {
        eprintln!("warning: package lists not updated: {failure}");
    }
    download(
        work.command("apt-get")
            .args(["download", "-qq", &format!("{package}={version}")]),
    )?;
    let archive = work.find(|name| name.starts_with(package) && name.ends_with(".deb"))?;
    run(
        work.command("dpkg-deb")
            .arg("--extract")
            .arg(archive)
            .arg("."),
        Failure::Check,
    )?;
    work.take(path)
}

/// Puts a checked net into the cache, which never holds half a file.
fn install(net: &Net, bytes: &[u8], work: &WorkFolder) -> Result<(), Failure> {
    let whole = work.path.join(net.file_name());
    fs::write(&whole, bytes).map_err(|error| local(&whole, &error))?;
    let path = net.cache_path();
    fs::rename(&whole, &path).map_err(|error| local(&path, &error))
}

/// Runs a download, again after a pause if it fails.
fn download(command: &mut Command) -> Result<(), Failure> {
    for pause in PAUSES {
        match run(command, Failure::Download) {
            Err(Failure::Download(message)) => {
                eprintln!("warning: {message}\nwarning: next try in {pause} s")
            }
            outcome => return outcome,
        }
        thread::sleep(Duration::from_secs(pause));
    }
    run(command, Failure::Download)
}

/// Runs a program; `blame` says what it means if the program fails.
fn run(command: &mut Command, blame: fn(String) -> Failure) -> Result<(), Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        Failure::Local(format!(
            "cannot run `{program}`, which fetching this net needs: {error}"
        ))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(blame(format!(
        "{command:?} failed, {}: {}",
        output.status,
        said.trim()
    )))
}

/// A folder for what is downloaded and unpacked, gone when dropped. It lies in the cache: there is
/// room for nets, and a rename out of it is atomic.
struct WorkFolder {
    path: PathBuf,
}

impl WorkFolder {
    fn new() -> Result<Self, Failure> {
        let path = cache_dir().join(format!(".fetching-{}", process::id()));
        fs::create_dir_all(&path).map_err(|error| local(&path, &error))?;
        Ok(Self { path })
    }

    /// A program that runs in this folder.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.path);
        command
    }

    /// Reads an unpacked file and removes it, to bound the space that a run needs.
    fn take(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let path = self.path.join(name);
        let bytes = fs::read(&path)
            .map_err(|error| Failure::Check(format!("package lacks `{name}`: {error}")))?;
        fs::remove_file(&path).map_err(|error| local(&path, &error))?;
        Ok(bytes)
    }

    /// The name of the file here whose name is accepted.
    fn find(&self, accepts: impl Fn(&str) -> bool) -> Result<String, Failure> {
        let entries = fs::read_dir(&self.path).map_err(|error| local(&self.path, &error))?;
        let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names
            .find(|name| accepts(name))
            .ok_or_else(|| Failure::Download("download left no file".to_owned()))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("warning: cannot remove `{}`: {error}", self.path.display());
        }
    }
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Check(_) => 1,
            Self::Local(_) => 2,
            Self::Download(_) => 3,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(message) => write!(f, "CHECK FAILED: {message}"),
            Self::Local(message) => write!(f, "{message}"),
            Self::Download(message) => write!(f, "DOWNLOAD FAILED: {message}"),
        }
    }
}

fn local(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Local(format!("`{}`: {error}", path.display()))
}
