//! `fetch-nets` says by its exit code whether a check, this machine or the other side failed.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use nnue_test_support::nets::{self, Net};

/// Packs a file of the right name and the wrong content, as `npm pack` would.
const NPM_OF_A_WRONG_NET: &str = "#!/bin/sh
mkdir -p package/src
echo wrong > package/src/nn-82215d0fd0df.nnue
tar -czf stockfish-12.0.0.tgz package
";

/// Fails as without a connection, and records that it was called.
const NPM_WITHOUT_NETWORK: &str = "#!/bin/sh
echo called >> ../calls
echo 'no route to the registry' >&2
exit 1
";

struct Sandbox {
    cache: PathBuf,
    programs: PathBuf,
}

impl Sandbox {
    /// An empty cache, and a path with no program except, if it is given, `npm`.
    fn new(name: &str, npm: Option<&str>) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("fetch-nets")
            .join(name);
        let sandbox = Self {
            cache: folder.join("cache"),
            programs: folder.join("programs"),
        };
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&sandbox.cache).unwrap();
        fs::create_dir_all(&sandbox.programs).unwrap();
        if let Some(script) = npm {
            let program = sandbox.programs.join("npm");
            fs::write(&program, script).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        sandbox
    }

    /// Runs `fetch-nets` and expects that exit code.
    fn expect(&self, code: i32, arguments: &[&str], system_path: &str) -> Output {
        let path = format!("{}:{system_path}", self.programs.display());
        let mut fetch_nets = Command::new(env!("CARGO_BIN_EXE_fetch-nets"));
        let output = fetch_nets
            .args(arguments)
            .env("NNUE_NETS", &self.cache)
            .env("PATH", path)
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {output:?}"
        );
        output
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.cache).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

/// All cases are one test, because a program cannot be started while another thread still writes
/// it.
#[test]
fn exit_code_tells_what_failed() {
    let real_programs = "/usr/bin:/bin";

    let sandbox = Sandbox::new("wrong", Some(NPM_OF_A_WRONG_NET));
    let output = sandbox.expect(1, &["nn-82215d0fd0df"], real_programs);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("CHECK FAILED: `nn-82215d0fd0df`: found 6 bytes, expected 21022697"),
        "{said}"
    );
    assert_eq!(sandbox.files(), [""; 0], "a wrong net must not stay");

    let sandbox = Sandbox::new("no-network", Some(NPM_WITHOUT_NETWORK));
    let output = sandbox.expect(3, &["nn-82215d0fd0df"], real_programs);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("DOWNLOAD FAILED") && said.contains("no route to the registry"),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(sandbox.cache.join("calls"))
            .unwrap()
            .lines()
            .count(),
        3
    );

    let sandbox = Sandbox::new("no-npm", None);
    let output = sandbox.expect(2, &["nn-82215d0fd0df"], "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot run `npm`"), "{said}");
    sandbox.expect(2, &["nn-000000000000"], "");
    sandbox.expect(0, &["--list"], "");

    let net = Net::named("nn-37f18f62d772").unwrap();
    let cached = sandbox.cache.join(net.file_name());
    let mut bytes = nets::load(net.name).unwrap();
    fs::write(&cached, &bytes).unwrap();
    sandbox.expect(0, &[net.name], "");
    bytes[1000] ^= 1;
    fs::write(&cached, &bytes).unwrap();
    sandbox.expect(2, &[net.name], "");
}
