//! Sockets with names in the abstract namespace, which end with their process.
//!
//! A process that fills a segment listens at the name of a lock, and accepts no connection. A
//! process that finds the name taken connects: the connection ends when the other process closes
//! its socket or is killed.

use std::io;
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, listen, socket_with,
};
use rustix::process::geteuid;

use crate::share::request::Request;

/// A socket that only has a name.
pub(super) fn bind(name: &str) -> io::Result<OwnedFd> {
    let socket = socket(SocketType::DGRAM, SocketFlags::empty())?;
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes())?;
    rustix::net::bind(&socket, &address)?;
    Ok(socket)
}

/// The right to fill a segment.
pub(super) struct Lock {
    name: String,
    refused_since: Option<Instant>,
}

/// The result of the attempt to take a lock.
pub(super) enum Attempt {
    /// This process has the lock until the socket is closed.
    Taken(OwnedFd),
    /// Another process had the lock, and may have released it.
    Ended,
    /// The name belongs to a process of another user, or to a process that fills no segment.
    Foreign,
}

/// The longest time between binding the name and listening there. A process that takes longer is
/// either stopped or wants to be in the way, and the segment is filled without the lock.
const LONGEST_REFUSAL: Duration = Duration::from_secs(1);

/// The time that another process is waited for before the segment is searched again.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// The time between attempts where there is nothing to wait for.
const PAUSE: Duration = Duration::from_millis(1);

impl Lock {
    pub(super) fn new(name: &str) -> Lock {
        Lock {
            name: name.to_owned(),
            refused_since: None,
        }
    }

    /// Takes the lock, or waits until the process that has it releases it.
    pub(super) fn attempt(&mut self, request: &Request) -> io::Result<Attempt> {
        let address = SocketAddrUnix::new_abstract_name(self.name.as_bytes())?;
        let socket = socket(SocketType::STREAM, SocketFlags::NONBLOCK)?;
        match rustix::net::bind(&socket, &address) {
            Ok(()) => {
                listen(&socket, i32::MAX)?;
                return Ok(Attempt::Taken(socket));
            }
            Err(Errno::ADDRINUSE) => {}
            Err(error) => return Err(error.into()),
        }

        let left = request.patience_left()?;
        match connect(&socket, &address) {
            Ok(()) => {}
            // The lock has just been released, or nobody listens yet.
            Err(Errno::CONNREFUSED) => {
                let since = *self.refused_since.get_or_insert_with(Instant::now);
                if since.elapsed() > LONGEST_REFUSAL {
                    return Ok(Attempt::Foreign);
                }
                sleep(PAUSE.min(left));
                return Ok(Attempt::Ended);
            }
            // As many processes wait as the system allows.
            Err(Errno::AGAIN) => {
                self.refused_since = None;
                sleep(PAUSE.min(left));
                return Ok(Attempt::Ended);
            }
            Err(Errno::PROTOTYPE) => return Ok(Attempt::Foreign),
            Err(error) => return Err(error.into()),
        }
        self.refused_since = None;
        if socket_peercred(&socket)?.uid != geteuid() {
            return Ok(Attempt::Foreign);
        }
        wait_for_end(&socket, request)?;
        Ok(Attempt::Ended)
    }
}

/// Waits until the other process releases the lock, or until it is time to search the segment
/// again: a child of that process may have its socket, and live longer.
fn wait_for_end(socket: &OwnedFd, request: &Request) -> io::Result<()> {
    let timeout = Timespec::try_from(LONGEST_WAIT.min(request.patience_left()?)).ok();
    // The end of a connection is always reported.
    let mut sockets = [PollFd::new(socket, PollFlags::IN)];
    match poll(&mut sockets, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn socket(kind: SocketType, flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = flags | SocketFlags::CLOEXEC;
    Ok(socket_with(AddressFamily::UNIX, kind, flags, None)?)
}
