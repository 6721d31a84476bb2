//! The one table of all keys of a scene file: what they are called, what they may hold, and what they mean.
//!
//! Files are read by it, mistakes are explained by it, and the JSON schema and the tables of docs/scenes.md are made
//! from it.

use randori_gametree::score::MAX_DEPTH;

use super::{Screenplay, Teamwork};

/// A table of the file, or one form that a table may have.
pub(super) struct Section {
    /// What it describes, with an article.
    pub(super) name: &'static str,
    /// Its keys; of a form, the first is the one that tells it from other forms.
    pub(super) keys: &'static [Key],
}

/// A key of a table.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// What holds without it; `None` if it must be there.
    pub(super) default: Option<&'static str>,
    /// What it means, with the unit.
    pub(super) meaning: &'static str,
}

/// What a value may be.
pub(super) enum Shape {
    /// Any text of 1 to 100 characters.
    Text,
    /// The name of a character, prop or group: 1 to 64 letters, digits, hyphens and underscores.
    Name,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A preset of the arena.
    Style,
    /// An annotation.
    Word,
    Number {
        min: f64,
        max: f64,
    },
    Integer {
        min: u64,
        max: u64,
    },
    Flag,
    /// `true` and nothing else.
    True,
    /// A name, `#rrggbb`, or three numbers from 0 to 1.
    Color,
    /// `[x, z]` (m).
    Ground,
    /// Three numbers.
    Three {
        min: f64,
        max: f64,
    },
    /// The short name of a controller.
    Controller,
    Table(&'static Section),
    /// A table of one of these forms.
    Forms(&'static [Section]),
    /// Any of these.
    Either(&'static [Shape]),
    /// As many as one likes, but at least so many.
    List(usize, &'static Shape),
    /// One for the first of each pair and one for the second.
    Two(&'static Shape),
}

/// Nothing is farther from the middle of a scene (m).
pub(super) const FAR: f64 = 1000.0;
/// The largest weight: with more, sums of a game tree would lose what small ones say.
const HEAVY: f64 = 1e9;

const fn need(name: &'static str, shape: Shape, meaning: &'static str) -> Key {
    Key { name, shape, default: None, meaning }
}

const fn may(name: &'static str, shape: Shape, default: &'static str, meaning: &'static str) -> Key {
    Key { name, shape, default: Some(default), meaning }
}

const fn number(min: f64, max: f64) -> Shape {
    Shape::Number { min, max }
}

const SECONDS: Shape = number(0.0, Screenplay::MAX_SECONDS);
const WEIGHT: Shape = number(-HEAVY, HEAVY);
const ANGLE: Shape = number(-360.0, 360.0);
const FOV: Shape = number(1.0, 160.0);
const WORDS: Shape = Shape::List(0, &Shape::Word);
const CONTROLLER: Shape = Shape::Either(&[Shape::Controller, Shape::Forms(&CONTROLLERS)]);
const CAMERA: Shape = Shape::Either(&[Shape::OneOf(&["follow", "whole", "steady"]), Shape::Forms(&CAMERAS)]);
const PATH: Shape = Shape::List(0, &Shape::Table(&CHECKPOINT));

/// The whole file.
pub(super) static SCENE: Section = Section {
    name: "a scene",
    keys: &[
        may("name", Shape::Text, "the file's name", "what the scene is called"),
        need("seconds", number(0.01, Screenplay::MAX_SECONDS), "how long it is, unless a beat ends it (s)"),
        may("seed", Shape::Integer { min: 0, max: u64::MAX }, "0", "of everything drawn at random"),
        may(
            "library",
            Shape::Text,
            "none",
            "motion of characters that name no library: `builtin:boxing`, `builtin:run` or a file",
        ),
        may("camera", CAMERA, "`\"follow\"`", "where it is seen from"),
        may("characters", Shape::List(0, &Shape::Table(&CHARACTER)), "none", "the people"),
        may("formation", Shape::Forms(&FORMATIONS), "none", "many pairs of people more"),
        may("props", Shape::List(0, &Shape::Table(&PROP)), "none", "things that move"),
        may("beats", Shape::List(0, &Shape::Table(&BEAT)), "none", "what happens when"),
        may(
            "combination",
            Shape::List(0, &Shape::Table(&RECORD)),
            "none",
            "what is amended in the table of how well actions suit each other",
        ),
        may("patches", Shape::Table(&PATCHES), "none", "what is put together from interaction patches"),
        may("rivals", Shape::Table(&RIVALS), "none", "the game that the two characters play as rivals"),
        may("teamwork", Shape::Table(&TEAMWORK), "none", "how two teams choose their formations"),
        may("refine", Shape::Table(&REFINEMENT), "the usual", "what refinement does beyond the usual"),
    ],
};

static REFINEMENT: Section = Section {
    name: "the refinement",
    keys: &[may(
        "ragdoll",
        Shape::Flag,
        "false",
        "whether those who are struck or bump into something give way as rigid bodies, and find back into their motion",
    )],
};

static TEAMWORK: Section = Section {
    name: "the formations of two teams",
    keys: &[
        may(
            "depths",
            Shape::Two(&Shape::Integer { min: 0, max: Teamwork::MAX_DEPTH as u64 }),
            "`[3, 3]`",
            "how many formations each team looks ahead, the team of the first character first; 0 is a team without any",
        ),
        may("spacing", number(0.5, 10.0), "1.2", "between neighbours of a formation (m)"),
        may("reach", number(0.1, 10.0), "1.0", "from how near somebody can be got at (m)"),
        may(
            "speed",
            number(0.1, 6.0),
            "0.8",
            "how fast people get to their places, as far as teams reckon with it (m/s)",
        ),
        may("weight", WEIGHT, "200", "of the way to one's place: w_p"),
    ],
};

static RIVALS: Section = Section {
    name: "a scene of rivals",
    keys: &[
        need(
            "game",
            Shape::OneOf(&["tag", "sword"]),
            "what is played; the first character chases, or has the right of way",
        ),
        may("agent", MANNER, "`\"optimal\"`", "how the first character decides"),
        may("opponent", MANNER, "`\"optimal\"`", "how the second character decides"),
        may("look_ahead", number(0.05, 1.0), "0.25", "how long a decision holds (s)"),
        may("giant", Shape::Flag, "false", "whether the one who chases in tag is a slow giant"),
    ],
};

const MANNER: Shape = Shape::OneOf(&[
    "optimal",
    "greedy",
    "random-greedy",
    "reward-only",
    "adaptive",
    "only-left",
    "first-mover",
]);

static PATCHES: Section = Section {
    name: "a scene of patches",
    keys: &[
        need(
            "plan",
            Shape::OneOf(&["one-one", "one-many", "football", "mouse", "dominoes", "luggage"]),
            "how it is put together, and what its patterns are unless others are named",
        ),
        may("patterns", Shape::Text, "the plan's", "the patterns that patches follow: a name or a file"),
        may(
            "people",
            Shape::Integer { min: 0, max: Screenplay::MAX_CHARACTERS as u64 },
            "24, or none in one-one",
            "how many others take part at most",
        ),
        may("colors", Shape::List(1, &Shape::Color), "five in turn", "how they are painted, in turn"),
        may("radius", number(1.0, 100.0), "6", "how far away those wait who are not needed yet (m)"),
        may("down", SECONDS, "for good", "how long those who fall stay down (s)"),
        may(
            "late",
            Shape::Flag,
            "false",
            "whether nobody is seen before they are needed, nor comes for a command before it is given",
        ),
        may("floor", Shape::Table(&PICTURE), "none", "the area that dominoes fill"),
        may(
            "luggage",
            Shape::List(0, &Shape::OneOf(&["light-small", "light-large", "heavy-small", "heavy-large"])),
            "none",
            "what is handed on, piece by piece",
        ),
        may(
            "commands",
            Shape::List(0, &Shape::Table(&COMMAND)),
            "none",
            "what is asked of the first character, in order of time",
        ),
        may(
            "appointments",
            Shape::List(0, &Shape::Table(&APPOINTMENT)),
            "none",
            "what the first character has to do at a time and a place, in order of time",
        ),
    ],
};

static APPOINTMENT: Section = Section {
    name: "an appointment",
    keys: &[
        need("at", SECONDS, "when bodies touch (s)"),
        need("place", Shape::Ground, "where the character is then, `[x, z]` (m)"),
        may(
            "do",
            Shape::List(0, &Shape::Text),
            "anything",
            "actions, one of which is enough: words of patterns",
        ),
    ],
};

static PICTURE: Section = Section {
    name: "an area of the floor",
    keys: &[
        need(
            "picture",
            Shape::Text,
            "a .png beside the scene file: its dark pixels are the area, its top is -z",
        ),
        may("pixel", number(0.02, 5.0), "0.25", "the side of a pixel (m)"),
    ],
};

static COMMAND: Section = Section {
    name: "a command",
    keys: &[
        need("at", SECONDS, "from when on (s)"),
        may("until", SECONDS, "the next command", "until when (s)"),
        may(
            "do",
            Shape::List(0, &Shape::Text),
            "anything",
            "actions, one of which is enough: words of patterns such as `punch`, `kick`, `avoid`, `left-hook`",
        ),
        may("direction", ANGLE, "any", "the way to go (degrees): 0 is +z, 90 is +x"),
        may("turn", Shape::OneOf(&["left", "right"]), "any", "the side to turn to"),
    ],
};

static CHARACTER: Section = Section {
    name: "a character",
    keys: &[
        need("name", Shape::Name, "unique; exported bones are named after it"),
        need("at", Shape::Ground, "where it starts, `[x, z]` (m)"),
        may(
            "color",
            Shape::Color,
            "one of six in turn",
            "a name, `\"#rrggbb\"`, or linear `[r, g, b]` from 0 to 1",
        ),
        may("library", Shape::Text, "the scene's", "motion: `builtin:boxing`, `builtin:run` or a file"),
        may(
            "build",
            Shape::Either(&[Shape::OneOf(&["average", "slim", "stocky"]), Shape::Table(&BUILD)]),
            "the library's",
            "size and weight",
        ),
        may("team", Shape::Name, "its own name", "whose side it is on"),
        may("style", Shape::Style, "`\"general-boxer\"`", "what it is after, by the name of a preset"),
        may("weights", Shape::Table(&WEIGHTS), "the preset's", "what differs from the preset"),
        may("controller", CONTROLLER, "`\"gametree:3\"`", "who chooses its actions"),
        may(
            "facing",
            Shape::Either(&[ANGLE, Shape::Name]),
            "its opponent",
            "whom it looks at, or a heading (degrees): 0 is +z, 90 is +x",
        ),
        may("opponent", Shape::Name, "the nearest of another team", "whom it plays against"),
        may("enter", SECONDS, "0", "when it enters (s)"),
        may("leave", SECONDS, "never", "when it leaves (s)"),
        may(
            "waits",
            Shape::Flag,
            "false",
            "whether it stays away until a beat lets it enter; times of its path then count from there",
        ),
        may(
            "poise",
            number(0.0, 1e6),
            "the director's",
            "impulse of a blow that knocks it down (N s): a fist brings about 20, a kick about 60",
        ),
        may("opening", Shape::Word, "any", "the action it starts with"),
        may("losing", Shape::Table(&LOSING), "never daring", "how daring it becomes when it is losing"),
        may("path", PATH, "none", "checkpoints to pass, in order"),
    ],
};

static BUILD: Section = Section {
    name: "a build",
    keys: &[
        may("height", number(1.0, 2.5), "1.75", "from sole to crown (m)"),
        may("mass", number(25.0, 250.0), "74", "of the whole body (kg)"),
        may("breadth", number(0.6, 1.6), "1", "width of shoulders and hips, relative to the average"),
        may("girth", number(0.5, 2.0), "1", "thickness of torso and limbs, relative to the average"),
    ],
};

static WEIGHTS: Section = Section {
    name: "weights",
    keys: &[
        may("distance", number(0.0, 100.0), "the preset's", "preferred distance to the opponent (m)"),
        may("distance_weight", WEIGHT, "the preset's", "of being at that distance"),
        may("angle", ANGLE, "the preset's", "preferred angle between the look and the opponent (degrees)"),
        may("angle_weight", WEIGHT, "the preset's", "of that angle"),
        may("short_damage_weight", WEIGHT, "the preset's", "of damage given by hooks and uppercuts"),
        may("long_damage_weight", WEIGHT, "the preset's", "of damage given by all other attacks"),
        may("taken_weight", WEIGHT, "the preset's", "of damage taken"),
        may("combination_weight", WEIGHT, "the preset's", "of actions that suit the opponent's"),
        may("path_weight", WEIGHT, "the preset's", "of the way to the next checkpoint"),
        may("heading_weight", WEIGHT, "the preset's", "of the heading at the next checkpoint"),
        may("requirement_weight", WEIGHT, "the preset's", "of required and forbidden actions"),
        may("recency_weight", WEIGHT, "the preset's", "of what doing again what was just done takes away"),
        may("metre", number(1e-6, 1e6), "0.01", "the unit of length in the terms of movement (m)"),
        may("radian", number(1e-6, 1e6), "a degree", "the unit of angle in the terms of movement (rad)"),
    ],
};

static LOSING: Section = Section {
    name: "losing",
    keys: &[
        need("share", number(0.0, 1.0), "how daring at most: 1 doubles what damage given counts for"),
        may("behind", number(0.001, 1e6), "20", "damage behind at which it is so in full"),
        may("last", SECONDS, "10", "before the end, the time in which any arrear makes it daring (s)"),
    ],
};

static CHECKPOINT: Section = Section {
    name: "a checkpoint",
    keys: &[
        need("at", Shape::Ground, "where, `[x, z]` (m)"),
        may("time", SECONDS, "none", "when to be there, and until when to wait (s)"),
        may("within", number(0.01, 100.0), "0.5", "how near is near enough (m)"),
        may("require", WORDS, "none", "actions to perform there; `knock-down` is to be knocked down"),
        may("forbid", WORDS, "none", "actions not to perform on the way there"),
    ],
};

static PROP: Section = Section {
    name: "a prop",
    keys: &[
        need("name", Shape::Name, "unique among characters and props"),
        need("size", Shape::Three { min: 0.01, max: FAR }, "width, height and length of the box (m)"),
        may("color", Shape::Color, "grey", "a name, `\"#rrggbb\"`, or linear `[r, g, b]` from 0 to 1"),
        may("path", Shape::List(1, &Shape::Table(&WAYPOINT)), "none", "where it is when"),
        may("between", Shape::Two(&Shape::Name), "nobody", "the two who carry it; it then has no path"),
        may("ball", Shape::Flag, "false", "whether it is a ball of its width"),
        may("hits", Shape::Flag, "false", "whether it knocks down whom it runs into"),
        may(
            "waits",
            Shape::Flag,
            "false",
            "whether it stays away until a beat starts it; times of its path then count from there",
        ),
    ],
};

static WAYPOINT: Section = Section {
    name: "a waypoint",
    keys: &[
        need("at", Shape::Ground, "the middle of its base, `[x, z]` (m)"),
        need("time", SECONDS, "when (s)"),
        may("height", number(-FAR, FAR), "0", "of its base above the floor (m)"),
        may("heading", ANGLE, "the way it goes", "where its length points (degrees)"),
    ],
};

static BEAT: Section = Section {
    name: "a beat",
    keys: &[
        need("name", Shape::Text, "unique among beats"),
        need("when", Shape::Forms(&WHEN), "what it waits for"),
        need("then", Shape::List(1, &Shape::Forms(&THEN)), "what it does, in this order, once"),
    ],
};

static RECORD: Section = Section {
    name: "a combination",
    keys: &[
        need("own", Shape::Word, "the character's action"),
        need("other", Shape::Word, "the opponent's action"),
        need("suitability", number(-1000.0, 1000.0), "how well it suits; negative discourages"),
    ],
};

pub(super) static CONTROLLERS: [Section; 2] = [
    Section {
        name: "a game tree",
        keys: &[
            need(
                "gametree",
                Shape::Integer { min: 1, max: MAX_DEPTH as u64 },
                "how many choices it looks ahead",
            ),
            may(
                "rule",
                Shape::OneOf(&["two-objectives", "added", "added-shared"]),
                "`\"two-objectives\"`",
                "what each side tries to reach",
            ),
            may(
                "opponent",
                Shape::OneOf(&["rational", "habitual"]),
                "`\"rational\"`",
                "how the opponent is thought to choose",
            ),
            may("staged", Shape::Flag, "false", "whether both want actions that suit each other"),
        ],
    },
    Section {
        name: "a script",
        keys: &[
            need("scripted", Shape::List(1, &Shape::Word), "actions, one after the other"),
            may("repeat", Shape::Flag, "false", "whether it begins again after the last"),
        ],
    },
];

pub(super) static CAMERAS: [Section; 2] = [
    Section {
        name: "a camera",
        keys: &[
            need("kind", Shape::OneOf(&["follow", "whole", "steady"]), "how it moves"),
            may(
                "heading",
                ANGLE,
                "across the characters",
                "where it stands around them (degrees): 0 is +z, 90 is +x",
            ),
            may("pitch", number(-89.0, 89.0), "12.6", "how far above the horizon (degrees)"),
            may("fov", FOV, "31.5", "from the lower to the upper edge of the picture (degrees)"),
            may("margin", number(0.0, 0.45), "0.09", "share of the picture that stays free at each edge"),
        ],
    },
    Section {
        name: "a fixed camera",
        keys: &[
            need("kind", Shape::OneOf(&["fixed"]), "it stands still"),
            need("eye", Shape::Three { min: -FAR, max: FAR }, "where it is, `[x, y, z]` (m)"),
            need("target", Shape::Three { min: -FAR, max: FAR }, "what is in the middle, `[x, y, z]` (m)"),
            may("fov", FOV, "31.5", "from the lower to the upper edge of the picture (degrees)"),
        ],
    },
];

/// A formation's keys; the two patterns share all but the first three.
macro_rules! formation {
    ($name:literal, $kind:literal, $spacing:literal, $gap:literal, $until:literal, $every:literal, $finish:literal,
        $names:literal, $styles:literal, $($own:expr),*) => {
        Section {
            name: $name,
            keys: &[
                need("kind", Shape::OneOf(&[$kind]), "the pattern"),
                $($own,)*
                need("pairs", Shape::Integer { min: 1, max: 250 }, "how many pairs"),
                may("center", Shape::Ground, "[0, 0]", "the middle of the pattern, `[x, z]` (m)"),
                may("spacing", number(1.0, 100.0), $spacing, "between neighbouring pairs at the start (m)"),
                may("gap", number(0.1, 10.0), $gap, "between the two of a pair on their way (m)"),
                may("until", number(0.1, Screenplay::MAX_SECONDS), $until, "when the last checkpoint is reached (s)"),
                may("every", number(0.25, 600.0), $every, "from checkpoint to checkpoint (s)"),
                may("finish", Shape::Flag, $finish, "whether the second of each pair is knocked down at the end"),
                may("names", Shape::Two(&Shape::Name), $names, "of the two of a pair, and of their teams; a number follows"),
                may("colors", Shape::Two(&Shape::Color), "`[\"red\", \"blue\"]`", "of the two of a pair"),
                may("styles", Shape::Two(&Shape::Style), $styles, "of the two of a pair"),
                may("controllers", Shape::Two(&CONTROLLER), "`[\"gametree:2\", \"gametree:2\"]`", "of the two of a pair"),
            ],
        }
    };
}

pub(super) static FORMATIONS: [Section; 2] = [
    formation!(
        "a spiral",
        "spiral",
        "4",
        "0.9",
        "4 s before the end",
        "4",
        "true",
        "`[\"red\", \"blue\"]`",
        "`[\"general-boxer-path\", \"general-boxer-path\"]`",
        may("spread", number(1.0, 4.0), "1.25", "how many times as wide it is at the end"),
        may("turn", number(-720.0, 720.0), "20", "how far it turns (degrees)")
    ),
    formation!(
        "circles",
        "circles",
        "6",
        "2",
        "the end",
        "1",
        "false",
        "`[\"chaser\", \"runaway\"]`",
        "`[\"chaser-path\", \"runaway-path\"]`",
        may("radius", number(1.0, 100.0), "5", "of each circle (m)"),
        may("speed", number(0.1, Screenplay::MAX_SPEED), "3", "along the circle (m/s)")
    ),
];

pub(super) static WHEN: [Section; 7] = [
    Section { name: "a time", keys: &[need("time", SECONDS, "a time of the scene (s)")] },
    Section {
        name: "another beat",
        keys: &[
            need("beat", Shape::Text, "an earlier beat"),
            may("after", SECONDS, "0", "how long after it (s)"),
        ],
    },
    Section {
        name: "a checkpoint reached",
        keys: &[
            need(
                "checkpoint",
                Shape::Integer { min: 1, max: 100_000 },
                "the number of a checkpoint, counted from 1",
            ),
            need("who", Shape::Name, "who has done with it"),
        ],
    },
    Section {
        name: "blows landed",
        keys: &[
            need("hits", Shape::Integer { min: 1, max: 100_000 }, "how many blows have landed"),
            need("who", Shape::Name, "who hits"),
            need("whom", Shape::Name, "who is hit"),
        ],
    },
    Section {
        name: "a distance",
        keys: &[
            need("distance", number(0.01, FAR), "two are nearer than this (m)"),
            need("who", Shape::Name, "the one"),
            need("whom", Shape::Name, "the other"),
        ],
    },
    Section { name: "a knock-down", keys: &[need("down", Shape::Name, "who has been knocked down")] },
    Section {
        name: "a prop's hit",
        keys: &[need("struck", Shape::Name, "whom a prop has run into"), need("by", Shape::Name, "the prop")],
    },
];

pub(super) static THEN: [Section; 13] = [
    Section {
        name: "a change of style",
        keys: &[
            need("style", Shape::Style, "the preset from now on"),
            need("who", Shape::Name, "whose"),
            may("weights", Shape::Table(&WEIGHTS), "the preset's", "what differs from the preset"),
        ],
    },
    Section {
        name: "a change of weights",
        keys: &[
            need("weights", Shape::Table(&WEIGHTS), "what differs from now on"),
            need("who", Shape::Name, "whose"),
        ],
    },
    Section {
        name: "a change of controller",
        keys: &[
            need("controller", CONTROLLER, "who chooses its actions from now on"),
            need("who", Shape::Name, "whose"),
        ],
    },
    Section {
        name: "a new path",
        keys: &[
            need("path", PATH, "the new way; its times count from the beat"),
            need("who", Shape::Name, "whose"),
        ],
    },
    Section {
        name: "a change of poise",
        keys: &[
            need("poise", number(0.0, 1e6), "impulse of a blow that fells it from now on (N s)"),
            need("who", Shape::Name, "whose"),
        ],
    },
    Section {
        name: "a new opponent",
        keys: &[
            need("opponent", Shape::Name, "against whom it plays from now on"),
            need("who", Shape::Name, "who"),
        ],
    },
    Section {
        name: "an entrance",
        keys: &[need("enter", Shape::Name, "who enters; it must have `waits = true`")],
    },
    Section { name: "an exit", keys: &[need("leave", Shape::Name, "who leaves")] },
    Section {
        name: "a requirement",
        keys: &[
            need(
                "require",
                Shape::List(1, &Shape::Word),
                "actions to perform; `knock-down` is to be knocked down",
            ),
            need("who", Shape::Name, "who"),
        ],
    },
    Section {
        name: "a ban",
        keys: &[
            need("forbid", Shape::List(1, &Shape::Word), "actions not to perform from now on"),
            need("who", Shape::Name, "who"),
        ],
    },
    Section {
        name: "a change of camera",
        keys: &[need("camera", CAMERA, "where it is seen from now on, also in videos")],
    },
    Section {
        name: "a prop's start",
        keys: &[need("prop", Shape::Name, "which prop starts; it must have `waits = true`")],
    },
    Section { name: "the end", keys: &[need("end", Shape::True, "the scene ends")] },
];
