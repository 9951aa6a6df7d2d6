//! The crates under `fixtures/`, which use the macro as users do, and cargo to build them with.
//!
//! They are a workspace of their own with one target directory: what they depend on is compiled
//! once, however many tests build them.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The settings of a release build. They are given to the profile `dev`, which builds everything,
/// so that checks and builds share the compiled macro.
const PROFILE: [(&str, &str); 6] = [
    ("CARGO_PROFILE_DEV_OPT_LEVEL", "3"),
    ("CARGO_PROFILE_DEV_DEBUG", "false"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
    ("CARGO_PROFILE_DEV_INCREMENTAL", "false"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
];

/// Variables of the build that runs the tests, which must not reach the builds that tests run.
const NOT_INHERITED: [&str; 5] = [
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// The workspace of fixtures, and a folder for what is made of it.
#[derive(Clone, Copy, Debug)]
pub struct Fixtures {
    scratch: &'static str,
}

impl Fixtures {
    /// The fixtures, built below `scratch`: a test's `env!("CARGO_TARGET_TMPDIR")`.
    ///
    /// # Panics
    ///
    /// If the lock file cannot be written.
    #[must_use]
    pub fn new(scratch: &'static str) -> Fixtures {
        static LOCKED: OnceLock<()> = OnceLock::new();
        LOCKED.get_or_init(|| {
            // Cargo removes what no fixture needs, and needs no network because all versions are
            // fixed.
            let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
            fs::copy(lock, Fixtures::folder().join("Cargo.lock")).expect("fixtures can be locked");
        });
        Fixtures { scratch }
    }

    /// The folder of the workspace of fixtures.
    #[must_use]
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../further/fixtures")
    }

    /// A file or folder for the tests' own use.
    #[must_use]
    pub fn scratch(&self, name: &str) -> PathBuf {
        Path::new(self.scratch).join(name)
    }

    /// `cargo subcommand` for the machine's own target, offline, in the workspace of fixtures.
    ///
    /// # Panics
    ///
    /// If rustc cannot be asked for its target.
    #[must_use]
    pub fn cargo(&self, subcommand: &str) -> Command {
        self.cargo_for(subcommand, host())
    }

    /// `cargo subcommand` for a target, offline, in the workspace of fixtures.
    #[must_use]
    pub fn cargo_for(&self, subcommand: &str, target: &str) -> Command {
        let mut cargo = alone(env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo
            .current_dir(Fixtures::folder())
            .envs(PROFILE)
            .args([subcommand, "--offline", "--color=never"])
            // The target is named even if it is the host's, so that `RUSTFLAGS` do not apply to the
            // macro.
            .args(["--target", target])
            .arg("--target-dir")
            .arg(self.target_dir());
        cargo
    }

    /// Where `cargo build` puts executables and libraries.
    ///
    /// # Panics
    ///
    /// If rustc cannot be asked for its target.
    #[must_use]
    pub fn built(&self, name: &str) -> PathBuf {
        self.target_dir().join(host()).join("debug").join(name)
    }

    fn target_dir(&self) -> PathBuf {
        self.scratch("fixtures")
    }
}

/// A command that builds something, without what the build that runs the tests was told.
#[must_use]
pub fn alone(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in NOT_INHERITED {
        command.env_remove(variable);
    }
    command
}

/// Runs a command, and gives what it wrote to standard output.
///
/// # Panics
///
/// If it cannot be run or fails, with all that it wrote.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{command:?} failed\n{stdout}\n{stderr}"
    );
    stdout.into_owned()
}

/// The target that rustc compiles for when not told otherwise.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let version = run(Command::new(env::var_os("RUSTC").unwrap_or("rustc".into())).arg("-vV"));
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        host.expect("rustc names its host").to_owned()
    })
}
