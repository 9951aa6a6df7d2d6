//! Nodes of Linux.

use std::fs;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

/// Each node with its processors. Some nodes have no processors.
pub(super) fn nodes() -> Option<Vec<(usize, Vec<usize>)>> {
    nodes_in(Path::new("/sys/devices/system/node"))
}

fn nodes_in(folder: &Path) -> Option<Vec<(usize, Vec<usize>)>> {
    let mut nodes = Vec::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("node"));
        let Some(id) = number.and_then(|number| number.parse().ok()) else {
            continue;
        };
        let list = fs::read_to_string(entry.path().join("cpulist")).ok()?;
        nodes.push((id, parse(list.trim())?));
    }
    Some(nodes)
}

/// The numbers in a list as `0-3,8,10-11`.
fn parse(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for range in list.split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse().ok()?);
        cpus.extend(first..=last);
    }
    Some(cpus)
}

pub(super) fn current_cpu() -> Option<usize> {
    Some(sched_getcpu())
}

/// Binds the calling thread to processors, if it may run on at least one of them.
pub(super) fn bind(cpus: &[usize]) {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        // A set has room for 1024 processors.
        if cpu < CpuSet::MAX_CPU {
            set.set(cpu);
        }
    }
    let _ = sched_setaffinity(None, &set);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{nodes_in, parse};

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(parse("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(parse(""), Some(vec![]));
        assert_eq!(parse("0-x"), None);
    }

    #[test]
    fn folders_of_nodes_are_read() {
        let folder = tempfile::tempdir().unwrap();
        for (name, list) in [("node0", "0,2\n"), ("node3", "\n"), ("node10", "1\n")] {
            let node = folder.path().join(name);
            fs::create_dir(&node).unwrap();
            fs::write(node.join("cpulist"), list).unwrap();
        }
        fs::write(folder.path().join("online"), "0-10\n").unwrap();
        let mut nodes = nodes_in(folder.path()).unwrap();
        nodes.sort();
        assert_eq!(nodes, [(0, vec![0, 2]), (3, vec![]), (10, vec![1])]);
        assert_eq!(nodes_in(&folder.path().join("none")), None);
    }
}
