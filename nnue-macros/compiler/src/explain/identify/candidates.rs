//! The networks that a file with a given beginning can belong to.

use std::fmt;

use crate::explain::family::Family;
use crate::explain::known;

/// Some of the networks that are known, told apart by their names. `Display` writes
/// `SFNNv10, SFNNv11 or SFNNv12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// A bit for each network of [`known::networks`].
    bits: u32,
}

impl Candidates {
    /// The networks whose files begin with these words.
    pub(in crate::explain) fn with_header(version: u32, hash: u32) -> Candidates {
        Candidates { bits: u32::MAX }
            .retain(|family| (family.version, family.hash()) == (version, hash))
    }

    /// The candidates for which `likeness` is the largest.
    pub(in crate::explain) fn likeliest(
        self,
        mut likeness: impl FnMut(&Family) -> usize,
    ) -> Candidates {
        let most = self.families().map(|family| likeness(&family)).max();
        self.retain(|family| Some(likeness(family)) == most)
    }

    /// The names of the networks. A network that has the spec of another network is named as in
    /// `late SFNNv13`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.networks().map(|(_, (name, _))| *name)
    }

    /// The shapes of the networks.
    pub(in crate::explain) fn families(self) -> impl Iterator<Item = Family> {
        self.networks().map(|(_, (_, family))| *family)
    }

    fn retain(self, mut fits: impl FnMut(&Family) -> bool) -> Candidates {
        let fitting = self.networks().filter(|(_, (_, family))| fits(family));
        let bits = fitting.fold(0, |bits, (bit, _)| bits | 1 << bit);
        Candidates { bits }
    }

    fn networks(self) -> impl Iterator<Item = (u32, &'static (&'static str, Family))> {
        let all = (0..u32::BITS).zip(known::networks());
        all.filter(move |(bit, _)| self.bits >> bit & 1 == 1)
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.names().count().saturating_sub(1);
        self.names().enumerate().try_for_each(|(index, name)| {
            let joint = match index {
                0 => "",
                _ if index == last => " or ",
                _ => ", ",
            };
            write!(f, "{joint}{name}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each network needs a bit.
    #[test]
    fn all_networks_have_a_place() {
        let all = Candidates { bits: u32::MAX };
        assert!(all.names().eq(known::networks().map(|(name, _)| *name)));
    }
}
