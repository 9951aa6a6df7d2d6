//! The routes of arrows between boxes. An arrow to a box below goes straight down. Other arrows go
//! along the gaps between rows, and from row to row down a lane beside the main column.

use std::collections::BTreeMap;

use super::places::Placed;

/// The height of a gap without routes, in pixels.
const GAP: usize = 26;
/// The distance between two routes in a gap, and between the boxes and the nearest route.
const TRACK: usize = 8;
/// The distance between two lanes.
const LANE: usize = 16;
/// The distances from a box's right edge to the place where its route leaves, and to that where the
/// first route arrives. They differ, so that leaving and arriving routes do not meet in a gap.
const LEAVES: usize = 12;
const ARRIVES: usize = 24;
/// The distance between two arriving routes, and the room for all of them.
const ARRIVAL: (usize, usize) = (14, 66);

/// An arrow from a part to another part that reads it.
pub(super) struct Route {
    pub(super) source: usize,
    pub(super) target: usize,
    /// The corners of the route, from the edge of the source's box to that of the target's box.
    pub(super) points: Vec<(usize, usize)>,
    /// The lane in which the route goes down, if it needs a lane.
    pub(super) lane: Option<usize>,
}

/// The routes in a drawing, without their coordinates.
pub(super) struct Ways {
    /// For each gap, the parts whose routes go along it, from top to bottom. Leaving routes come
    /// first, so that no two routes meet.
    tracks: Vec<Vec<usize>>,
    /// The lanes of parts that are read in later rows than the next.
    lanes: BTreeMap<usize, usize>,
    /// For each part, the parts whose routes arrive from a gap.
    arrivals: Vec<Vec<usize>>,
}

impl Ways {
    pub(super) fn of(placed: &[Placed]) -> Ways {
        let rows = placed.iter().map(|own| own.row + 1).max().unwrap_or(0);
        let mut tracks = vec![Vec::new(); rows];
        let mut arrivals = vec![Vec::new(); placed.len()];
        // For each part, the gap in which its route begins, and the last gap to which it leads.
        let mut spans: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (target, own) in placed.iter().enumerate() {
            for source in &own.part.reads {
                if straight(placed, *source, target).is_none() {
                    arrivals[target].push(*source);
                    let first = placed[*source].row;
                    let span = spans.entry(*source).or_insert((first, first));
                    span.1 = span.1.max(own.row - 1);
                }
            }
        }
        for (source, (first, _)) in &spans {
            tracks[*first].push(*source);
        }
        for (target, sources) in arrivals.iter().enumerate() {
            let gap = &mut tracks[placed[target].row.saturating_sub(1)];
            for source in sources {
                if !gap.contains(source) {
                    gap.push(*source);
                }
            }
        }
        let mut lanes: BTreeMap<usize, usize> = BTreeMap::new();
        for (source, (first, last)) in spans.iter().filter(|(_, span)| span.0 < span.1) {
            let is_free = |lane: &usize| {
                let mut others = lanes.iter().filter(|(_, own)| *own == lane);
                others.all(|(other, _)| spans[other].1 < *first || *last < spans[other].0)
            };
            if let Some(lane) = (0..).find(is_free) {
                lanes.insert(*source, lane);
            }
        }
        Ways {
            tracks,
            lanes,
            arrivals,
        }
    }

    /// The height of the gap below each row.
    pub(super) fn gaps(&self) -> Vec<usize> {
        let gaps = self.tracks.iter();
        gaps.map(|tracks| GAP + TRACK * tracks.len()).collect()
    }

    /// The width of all lanes, with room on both sides.
    pub(super) fn gutter(&self) -> usize {
        let count = self.lanes.values().max().map_or(0, |last| last + 1);
        LANE * (count + 1)
    }

    /// The arrows. The first lane is to the right of `main`.
    pub(super) fn routes(&self, placed: &[Placed], main: usize) -> Vec<Route> {
        let mut routes = Vec::new();
        for (target, own) in placed.iter().enumerate() {
            for source in &own.part.reads {
                let points = match straight(placed, *source, target) {
                    Some(x) => vec![(x, placed[*source].bottom), (x, own.top)],
                    None => self.corners(placed, *source, target, main),
                };
                let is_straight = points.len() == 2;
                let lane = self.lanes.get(source).copied();
                routes.push(Route {
                    source: *source,
                    target,
                    points,
                    lane: lane.filter(|_| !is_straight),
                });
            }
        }
        routes
    }

    /// The corners of a route along gaps.
    fn corners(
        &self,
        placed: &[Placed],
        source: usize,
        target: usize,
        main: usize,
    ) -> Vec<(usize, usize)> {
        let (from, to) = (&placed[source], &placed[target]);
        let leaves = from.right - LEAVES;
        let arriving = &self.arrivals[target];
        let number = arriving.iter().position(|own| *own == source).unwrap_or(0);
        let (step, room) = ARRIVAL;
        let step = step.min(room / arriving.len());
        let arrives = to.right - ARRIVES - step * number;
        let down = self.track(placed, from.row, source);
        let mut points = vec![(leaves, from.bottom), (leaves, down)];
        if to.row > from.row + 1 {
            let lane = self.lanes.get(&source).map_or(0, |lane| lane + 1);
            let x = main + LANE * lane;
            let along = self.track(placed, to.row - 1, source);
            points.extend([(x, down), (x, along), (arrives, along)]);
        } else {
            points.push((arrives, down));
        }
        points.push((arrives, to.top));
        points
    }

    /// The height in a gap at which a part's route goes.
    fn track(&self, placed: &[Placed], gap: usize, source: usize) -> usize {
        let above = placed.iter().filter(|own| own.row == gap);
        let bottom = above.map(|own| own.bottom).max().unwrap_or(0);
        let number = self.tracks[gap].iter().position(|own| *own == source);
        bottom + TRACK * (1 + number.unwrap_or(0))
    }
}

/// The x coordinate of an arrow that can go straight down; `None` if a box is between both boxes,
/// or neither of them covers the width of the other.
fn straight(placed: &[Placed], source: usize, target: usize) -> Option<usize> {
    let (from, to) = (&placed[source], &placed[target]);
    let x = if from.left <= to.left && to.right <= from.right {
        to.middle()
    } else if to.left <= from.left && from.right <= to.right {
        from.middle()
    } else {
        return None;
    };
    let mut between = placed
        .iter()
        .filter(|own| from.row < own.row && own.row < to.row);
    between
        .all(|own| x < own.left || own.right < x)
        .then_some(x)
}
