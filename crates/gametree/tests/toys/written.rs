//! Trees written down by hand.

use randori_gametree::{Edge, Player, World};

/// A node: whose turn it is, and its edges with their F_comp, F_coop and what follows.
#[derive(Clone, Debug)]
pub enum Tree {
    End,
    Of(Player, Vec<(f64, f64, Tree)>),
}

/// Edges out of a node of Max.
pub fn max<const N: usize>(edges: [(f64, f64, Tree); N]) -> Tree {
    Tree::Of(Player::Max, edges.to_vec())
}

/// Edges out of a node of Min.
pub fn min<const N: usize>(edges: [(f64, f64, Tree); N]) -> Tree {
    Tree::Of(Player::Min, edges.to_vec())
}

/// The world in which such trees are played; Min's habit is to take its choices with the given weights.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub habit: Vec<f64>,
}

impl World for Written {
    type State = Tree;
    type Choice = usize;

    fn turn(&self, tree: &Tree) -> Option<Player> {
        match tree {
            Tree::End => None,
            Tree::Of(player, _) => Some(*player),
        }
    }

    fn choices(&self, tree: &Tree, out: &mut Vec<usize>) {
        if let Tree::Of(_, edges) = tree {
            out.extend(0..edges.len());
        }
    }

    fn play(&self, tree: &Tree, choice: usize) -> (Tree, Edge) {
        match tree {
            Tree::End => (Tree::End, Edge::default()),
            Tree::Of(_, edges) => {
                let (comp, coop, next) = edges[choice].clone();
                (next, Edge { comp, coop })
            }
        }
    }

    fn habit(&self, _: &Tree, _: &[usize], out: &mut Vec<f64>) -> bool {
        out.extend(&self.habit);
        !self.habit.is_empty()
    }
}
