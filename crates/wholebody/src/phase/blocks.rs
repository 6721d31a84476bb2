//! Building blocks of machines, \[Vaillant2017\] figure 6.

use super::{Action, Area, At, Condition, Over, Phase, Side};

/// A swing of one foot, see [`Action::Swing`].
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Whose.
    pub who: String,
    /// Which foot.
    pub foot: Side,
    /// Where its sole lands (m).
    pub landing: [f64; 3],
    /// Height mid-step above start and landing (m).
    pub height: f64,
    /// How far aside the foot passes mid-step, towards its own side (m).
    pub aside: f64,
    /// What it lands on; the environment by default.
    pub on: Option<At>,
}

/// Left or right steps, by several people at once: the centre of mass of `task` goes over the feet that
/// stay, then the others swing.
pub fn step(name: &str, task: &str, steps: &[Step], seconds: [f64; 2]) -> [Phase; 2] {
    let soles = steps.iter().map(|step| At::new(&step.who, format!("{}_sole", step.foot.other().name())));
    let shift = Action::Shift { task: task.into(), over: Over::Frames(soles.collect()), seconds: seconds[0] };
    let swings = steps.iter().map(|step| Action::Swing {
        who: step.who.clone(),
        foot: step.foot,
        landing: step.landing,
        heading: 0.0,
        on: step.on.clone(),
        height: step.height,
        aside: step.aside,
        seconds: seconds[1],
    });
    let landed = steps.iter().map(|step| Condition::FootLanded { who: step.who.clone(), foot: step.foot });
    [
        Phase {
            name: format!("{name}: shift"),
            actions: vec![shift],
            until: vec![
                Condition::After { seconds: seconds[0] },
                Condition::CenterShifted { task: task.into(), within: 0.035 },
            ],
            next: None,
        },
        Phase {
            name: format!("{name}: swing"),
            actions: swings.collect(),
            until: landed.collect(),
            next: None,
        },
    ]
}

/// The centre of mass of a task goes over something.
pub fn shift(name: &str, task: &str, over: Over, seconds: f64) -> Phase {
    Phase {
        name: name.into(),
        actions: vec![Action::Shift { task: task.into(), over, seconds }],
        until: vec![
            Condition::After { seconds },
            Condition::CenterShifted { task: task.into(), within: 0.03 },
        ],
        next: None,
    }
}

/// A hand goes along its way and grasps: a contact between `hand` and `what` at the frame `what`.
pub fn grasp(contact: &str, hand: &At, what: &At, radius: f64) -> Action {
    Action::AddContact {
        name: contact.into(),
        on: hand.clone(),
        with: Some(what.clone()),
        patch: what.clone(),
        area: Area::Grasp([radius, 0.035]),
        friction: 0.9,
    }
}

/// A contact or grasp is added; the phase ends when it exists.
pub fn add(name: &str, contact: Action) -> Phase {
    let until = match &contact {
        Action::AddContact { name, area: Area::Grasp(_), .. } => {
            vec![Condition::GraspMade { contact: name.clone() }]
        }
        Action::AddContact { name, .. } => vec![Condition::ContactMade { contact: name.clone() }],
        _ => Vec::new(),
    };
    Phase { name: name.into(), actions: vec![contact], until, next: None }
}

/// A contact or grasp is removed.
pub fn remove(name: &str, contact: &str) -> Phase {
    Phase {
        name: name.into(),
        actions: vec![Action::RemoveContact { name: contact.into() }],
        until: vec![Condition::ContactBroken { contact: contact.into() }],
        next: None,
    }
}

/// The user moves targets, for so long (s) or for ever.
pub fn interactive(name: &str, seconds: Option<f64>) -> Phase {
    let until = seconds.map_or(Condition::Never, |seconds| Condition::After { seconds });
    Phase { name: name.into(), actions: vec![Action::Interact], until: vec![until], next: None }
}
