//! Which postures can be left and come back to.

/// The strongly connected part that each node belongs to, numbered from 0.
///
/// Tarjan's algorithm without recursion; `edges` are pairs of nodes below `n_nodes`.
pub(super) fn strong_parts(n_nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut out: Vec<Vec<u32>> = vec![Vec::new(); n_nodes];
    for (from, to) in edges {
        out[*from as usize].push(*to);
    }
    let (mut order, mut low) = (vec![UNSEEN; n_nodes], vec![0_u32; n_nodes]);
    let mut part = vec![UNSEEN; n_nodes];
    let (mut n_seen, mut n_parts) = (0_u32, 0_u32);
    let mut stack: Vec<u32> = Vec::new();
    for root in 0..n_nodes as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        // Each entry: a node and how many of its edges were followed.
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let at = *node as usize;
            if *followed == 0 {
                order[at] = n_seen;
                low[at] = n_seen;
                n_seen += 1;
                stack.push(*node);
            }
            match out[at].get(*followed) {
                Some(&next) => {
                    *followed += 1;
                    if order[next as usize] == UNSEEN {
                        path.push((next, 0));
                    } else if part[next as usize] == UNSEEN {
                        low[at] = low[at].min(order[next as usize]);
                    }
                }
                None => {
                    // Nodes without edges come here at once, others after their last edge.
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        low[*above as usize] = low[*above as usize].min(low[at]);
                    }
                    if low[at] == order[at] {
                        while let Some(member) = stack.pop() {
                            part[member as usize] = n_parts;
                            if member as usize == at {
                                break;
                            }
                        }
                        n_parts += 1;
                    }
                }
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_that_reach_each_other() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0), (1, 1)];
        let part = strong_parts(7, &edges);
        let together = |a: usize, b: usize| part[a] == part[b];
        assert!(together(0, 1) && together(1, 2) && together(3, 4));
        assert!(!together(2, 3) && !together(5, 0) && !together(6, 0) && !together(6, 5));
    }

    #[test]
    fn agrees_with_plain_reachability() {
        for seed in 0..200_u32 {
            let n = 1 + (seed % 9) as usize;
            let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
            let mut random = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) % n as u32
            };
            let edges: Vec<(u32, u32)> = (0..n + n / 2).map(|_| (random(), random())).collect();
            let mut reach = vec![vec![false; n]; n];
            for (from, row) in reach.iter_mut().enumerate() {
                row[from] = true;
            }
            for (from, to) in &edges {
                reach[*from as usize][*to as usize] = true;
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            let part = strong_parts(n, &edges);
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(part[i] == part[j], reach[i][j] && reach[j][i], "{edges:?}");
                }
            }
        }
    }
}
