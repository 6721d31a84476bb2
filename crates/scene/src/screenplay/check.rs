//! What can be wrong with a scene in which every value by itself is right.

use std::collections::{BTreeMap, BTreeSet};

use randori_motion::annotation::{KNOWN, Kind};
use randori_motion::{Annotation, Ground};

use super::camera::Camera;
use super::formation::{Formation, Pattern};
use super::patchwork::{Patchwork, Plan};
use super::rivalry::{RivalGame, Rivalry};
use super::role::{Checkpoint, Controller, Facing, Role};
use super::story::{Beat, PropRole, Then, When};
use super::table::{Source, listed, nearest, quoted};
use super::{Record, Screenplay};

/// Two people who start nearer than this stand in each other (m).
const STANDING_ROOM: f32 = 0.3;
/// As many checkpoints has a formation at most, of all people together.
const MAX_FORMATION_CHECKPOINTS: u64 = 100_000;

/// Notes all mistakes.
pub(super) fn check(scene: &Screenplay, source: &Source<'_>) {
    let Some(roles) = people(scene, source) else { return };
    let cast = Cast::new(scene, &roles, source);
    // Who is meant by a name that two have cannot be said.
    if !cast.has_own_names() {
        return;
    }
    if scene.teamwork.is_some() {
        cast.teamwork();
    }
    if let Some(rivals) = &scene.rivals {
        cast.rivalry(rivals);
    } else if let Some(patches) = &scene.patches {
        cast.patchwork(patches);
    } else {
        cast.teams();
    }
    for (idx, role) in roles.iter().enumerate() {
        cast.role(role, &cast.place_of(idx));
    }
    cast.starts();
    for (idx, prop) in scene.props.iter().enumerate() {
        cast.prop(prop, &format!("props[{idx}]"));
    }
    for (idx, beat) in scene.beats.iter().enumerate() {
        cast.beat(beat, &scene.beats[..idx], &format!("beats[{idx}]"));
    }
    for (idx, record) in scene.combination.iter().enumerate() {
        cast.record(record, &format!("combination[{idx}]"));
    }
    cast.camera(&scene.camera, "camera");
}

/// Everybody, if they are not too many.
fn people(scene: &Screenplay, source: &Source<'_>) -> Option<Vec<Role>> {
    let n_paired = scene.formation.as_ref().map_or(0, |formation| 2 * formation.pairs as usize);
    let n_others = scene.patches.as_ref().map_or(0, |patches| patches.people as usize);
    let n_people = scene.characters.len() + n_paired + n_others;
    if !(1..=Screenplay::MAX_CHARACTERS).contains(&n_people) {
        let found = if n_people == 0 { "no characters".to_owned() } else { format!("{n_people} characters") };
        let allowed = format!(
            "1 to {}, each as [[characters]], or two for each pair of a [formation]",
            Screenplay::MAX_CHARACTERS
        );
        source.note_at("characters", found, allowed, None);
        return None;
    }
    scene
        .formation
        .as_ref()
        .is_none_or(|formation| is_sound(formation, scene, source))
        .then(|| scene.expanded())
}

fn is_sound(formation: &Formation, scene: &Screenplay, source: &Source<'_>) -> bool {
    let mut is_sound = true;
    let mut refuse = |key: &str, found: String, allowed: String| {
        source.note_at(&format!("formation.{key}"), found, allowed, None);
        is_sound = false;
    };
    if formation.until > scene.seconds {
        refuse(
            "until",
            format!("until is {}", formation.until),
            format!("up to the scene's {} s", scene.seconds),
        );
    }
    let clearance = formation.clearance();
    // Less than a tenth of a millimetre is rounding.
    if clearance + 1e-4 < Formation::CLEARANCE {
        let allowed = format!(
            "{} m or more: a larger spacing (now {}), a smaller gap (now {}), or a shorter way from checkpoint to \
             checkpoint",
            Formation::CLEARANCE,
            formation.spacing,
            formation.gap
        );
        refuse("spacing", format!("pairs come as near as {clearance:.2} m to each other"), allowed);
    }
    if let Pattern::Circles { radius, .. } = formation.kind
        && formation.gap > radius
    {
        refuse("gap", format!("gap is {}", formation.gap), format!("up to the radius, {radius} m"));
    }
    let n_checkpoints = 2 * u64::from(formation.pairs) * u64::from(formation.n_steps());
    if n_checkpoints > MAX_FORMATION_CHECKPOINTS {
        let allowed =
            format!("up to {MAX_FORMATION_CHECKPOINTS}: fewer pairs, or more seconds from one to the next");
        refuse("every", format!("{n_checkpoints} checkpoints"), allowed);
    }
    is_sound
}

/// Everybody and everything by name.
struct Cast<'a> {
    scene: &'a Screenplay,
    source: &'a Source<'a>,
    roles: &'a [Role],
    by_name: BTreeMap<&'a str, &'a Role>,
    props: BTreeSet<&'a str>,
    /// Whom and what beats let enter or start.
    called: BTreeSet<&'a str>,
    /// Whose weights beats change, so that those at the start need not serve their path.
    restyled: BTreeSet<&'a str>,
}

impl<'a> Cast<'a> {
    fn new(scene: &'a Screenplay, roles: &'a [Role], source: &'a Source<'a>) -> Cast<'a> {
        let thens = || scene.beats.iter().flat_map(|beat| &beat.then);
        let called = thens().filter_map(|then| match then {
            Then::Enter { who } => Some(who.as_str()),
            Then::Prop { name } => Some(name.as_str()),
            _ => None,
        });
        let restyled = thens().filter_map(|then| match then {
            Then::Style { who, .. } => Some(who.as_str()),
            _ => None,
        });
        Cast {
            scene,
            source,
            roles,
            by_name: roles.iter().map(|role| (role.name.as_str(), role)).collect(),
            props: scene.props.iter().map(|prop| prop.name.as_str()).collect(),
            called: called.collect(),
            restyled: restyled.collect(),
        }
    }

    fn note(&self, path: &str, found: String, allowed: impl Into<String>) {
        self.source.note_at(path, found, allowed.into(), None);
    }

    /// Where somebody is written.
    fn place_of(&self, role_idx: usize) -> String {
        let n_written = self.scene.characters.len();
        if role_idx < n_written { format!("characters[{role_idx}]") } else { "formation".to_owned() }
    }

    /// Everybody, everything and every beat has a name of its own.
    fn has_own_names(&self) -> bool {
        let mut is_sound = true;
        let people = self.roles.iter().enumerate().map(|(idx, role)| (&role.name, self.place_of(idx)));
        let props =
            self.scene.props.iter().enumerate().map(|(idx, prop)| (&prop.name, format!("props[{idx}]")));
        let mut seen = BTreeSet::new();
        for (name, place) in people.chain(props) {
            if !seen.insert(name) {
                let found = format!("the name {} is there twice", quoted(name));
                self.note(&format!("{place}.name"), found, "one name for each character and prop");
                is_sound = false;
            }
        }
        let mut seen = BTreeSet::new();
        for (idx, beat) in self.scene.beats.iter().enumerate() {
            if !seen.insert(&beat.name) {
                let found = format!("a beat {} is there twice", quoted(&beat.name));
                self.note(&format!("beats[{idx}].name"), found, "one name for each beat");
                is_sound = false;
            }
        }
        is_sound
    }

    /// A scene of patches has the people its plan needs, nobody who decides, and commands in order.
    fn patchwork(&self, patches: &Patchwork) {
        let (scene, plan) = (self.scene, patches.plan);
        let written = plan.n_written();
        if !written.contains(&scene.characters.len()) || scene.formation.is_some() {
            let found = format!("{} characters", self.roles.len());
            let (least, most) = (written.start(), written.end());
            let number = if least == most { least.to_string() } else { format!("{least} to {most}") };
            self.note("characters", found, format!("{number} for the plan {}", quoted(plan.name())));
        }
        if (plan == Plan::Dominoes) != patches.floor.is_some() {
            let found = if patches.floor.is_some() { "a floor" } else { "no floor" };
            let found = format!("{found} for the plan {}", quoted(plan.name()));
            self.note(
                "patches",
                found,
                "floor = { picture = \"area.png\" } for dominoes, and for nothing else",
            );
        }
        if (plan == Plan::Luggage) == patches.luggage.is_empty() {
            let found = if patches.luggage.is_empty() { "no luggage" } else { "luggage" };
            let found = format!("{found} for the plan {}", quoted(plan.name()));
            self.note("patches", found, "luggage = [\"light-small\"] for luggage, and for nothing else");
        }
        if patches.late && !plan.is_steered() {
            let found = format!("late in the plan {}", quoted(plan.name()));
            self.note("patches", found, "late = true in one-one, one-many and football");
        }
        if let Some(beat) = scene.beats.first() {
            let found = format!("the beat {}", quoted(&beat.name));
            self.note("beats", found, "no beats in a scene of patches: commands instead");
        }
        let mut last = 0.0;
        for (idx, command) in patches.commands.iter().enumerate() {
            let place = format!("patches.commands[{idx}]");
            if command.at < last || command.at >= scene.seconds {
                let allowed = format!("{last} to {} s", scene.seconds);
                self.note(&format!("{place}.at"), format!("at is {}", command.at), allowed);
            }
            if let Some(until) = command.until.filter(|until| *until <= command.at) {
                let found = format!("until is {until}");
                self.note(&format!("{place}.until"), found, format!("after {} s", command.at));
            }
            if command.actions.is_empty() && command.direction_deg.is_none() && command.turn.is_none() {
                self.note(&place, "a command that asks for nothing".to_owned(), "do, direction or turn");
            }
            last = command.at;
        }
        let mut last = 0.0;
        for (idx, appointment) in patches.appointments.iter().enumerate() {
            let place = format!("patches.appointments[{idx}].at");
            if appointment.at < last || appointment.at >= scene.seconds {
                let allowed = format!("{last} to {} s", scene.seconds);
                self.note(&place, format!("at is {}", appointment.at), allowed);
            }
            if !matches!(plan, Plan::OneMany | Plan::Football | Plan::Mouse) {
                let found = format!("an appointment in the plan {}", quoted(plan.name()));
                self.note(&place, found, "appointments of one who meets many: one-many, football, mouse");
            }
            last = appointment.at;
        }
    }

    /// A scene of rivals has two people, and nothing but their game.
    fn rivalry(&self, rivals: &Rivalry) {
        let scene = self.scene;
        if scene.characters.len() != 2 || scene.formation.is_some() {
            let found = format!("{} characters", self.roles.len());
            self.note("characters", found, format!("2 for the game {}", quoted(rivals.game.name())));
        }
        if scene.patches.is_some() {
            self.note("patches", "patches in a scene of rivals".to_owned(), "one of the two");
        }
        if let Some(beat) = scene.beats.first() {
            let found = format!("the beat {}", quoted(&beat.name));
            self.note("beats", found, "no beats in a scene of rivals: they decide for themselves");
        }
        if rivals.giant && rivals.game != RivalGame::Tag {
            let found = format!("a giant in the game {}", quoted(rivals.game.name()));
            self.note("rivals.giant", found, "only in tag");
        }
    }

    /// Formations are those of two teams who decide for themselves.
    fn teamwork(&self) {
        let teams: BTreeSet<&str> = self.roles.iter().map(|role| role.team.as_str()).collect();
        if teams.len() != 2 {
            let found = format!("{} teams", teams.len());
            self.note("teamwork", found, "two teams, each with a name that its characters share");
        }
        if self.scene.patches.is_some() || self.scene.rivals.is_some() {
            self.note("teamwork", "formations of people who are put together".to_owned(), "one of the two");
        }
    }

    fn teams(&self) {
        let teams: BTreeSet<&str> = self.roles.iter().map(|role| role.team.as_str()).collect();
        if self.roles.len() > 1 && teams.len() == 1 {
            let found = format!("all are in the team {}", quoted(&self.roles[0].team));
            self.note("characters[0].team", found, "two or more teams");
        }
    }

    fn role(&self, role: &Role, place: &str) {
        let scene = self.scene;
        let key = |key: &str| format!("{place}.{key}");
        match scene.library_of(role) {
            // Their motions are those of the game.
            None if scene.rivals.is_some() => {}
            None => {
                let found = format!("{} has no library", role.name);
                self.note(
                    place,
                    found,
                    "library = \"builtin:boxing\", \"builtin:run\" or a file, here or for all",
                );
            }
            Some(_) => {
                let opening = role.opening.iter().map(|word| (word, key("opening")));
                opening.for_each(|(word, place)| self.chosen(role, word, &place));
            }
        }
        if let Some(opponent) = &role.opponent {
            self.opponent(role, opponent, &key("opponent"));
        }
        // Who looks at its opponent need not be told twice.
        if let Facing::Towards(name) = &role.facing
            && role.opponent.as_ref() != Some(name)
            && self.character(name, &key("facing")).is_some_and(|other| other.name == role.name)
        {
            self.note(&key("facing"), "facing itself".to_owned(), "another character, or degrees");
        }
        if role.enter >= scene.seconds {
            let found = format!("enter is {}", role.enter);
            self.note(&key("enter"), found, format!("before the end of the scene, {} s", scene.seconds));
        }
        if role.leave.is_some_and(|leave| leave <= role.enter) {
            let found = format!("leave is {}", role.leave.unwrap_or_default());
            self.note(&key("leave"), found, format!("after it enters, at {} s", role.enter));
        }
        if role.waits && role.enter != 0.0 {
            let found = format!("{} waits, and enters at {} s", role.name, role.enter);
            self.note(&key("enter"), found, "one of the two");
        }
        if role.waits && !self.called.contains(role.name.as_str()) {
            let found = format!("{} waits, and no beat lets it enter", role.name);
            self.note(&key("waits"), found, format!("then = [{{ enter = \"{}\" }}] in a beat", role.name));
        }
        self.controller(role, &role.controller, &key("controller"));
        self.path(role, &role.path, Some((role.at, role.enter)), &key("path"));
        self.pull(role, &key("style"));
    }

    /// A path that its walker does not care for is a mistake.
    fn pull(&self, role: &Role, place: &str) {
        let objective = role.objective();
        let plans = matches!(role.controller, Controller::GameTree { .. });
        if !plans || self.restyled.contains(role.name.as_str()) {
            return;
        }
        let requires = role.path.iter().any(|it| !it.require.is_empty() || !it.forbid.is_empty());
        for (is_wanted, weight, name, value) in [
            (!role.path.is_empty(), objective.path_weight, "path_weight", "10.0"),
            (requires, objective.requirement_weight, "requirement_weight", "1e6"),
        ] {
            if is_wanted && weight == 0.0 {
                let found =
                    format!("{} has a path, but its style {} has {name} 0", role.name, quoted(&role.style));
                let allowed =
                    format!("a style whose name ends with -path, or weights = {{ {name} = {value} }}");
                self.note(place, found, allowed);
                return;
            }
        }
    }

    /// Everybody that is there at the start has room to stand.
    fn starts(&self) {
        for (idx, role) in self.roles.iter().enumerate() {
            let is_in_the_way = |other: &&Role| {
                !other.waits
                    && !role.waits
                    && other.enter == role.enter
                    && other.at.distance(role.at) < STANDING_ROOM
            };
            if let Some(other) = self.roles[..idx].iter().find(is_in_the_way) {
                let found = format!("{} starts where {} stands", role.name, other.name);
                self.note(
                    &format!("{}.at", self.place_of(idx)),
                    found,
                    format!("{STANDING_ROOM} m or more between them"),
                );
            }
        }
    }

    fn prop(&self, prop: &PropRole, place: &str) {
        let times: Vec<f64> = prop.path.iter().map(|point| point.time).collect();
        for (idx, pair) in times.windows(2).enumerate() {
            if pair[1] <= pair[0] {
                let found = format!("time is {}", pair[1]);
                self.note(
                    &format!("{place}.path[{}].time", idx + 1),
                    found,
                    format!("later than {} s", pair[0]),
                );
            }
        }
        if prop.path.is_empty() == prop.between.is_none() {
            let found =
                format!("{} has {}", prop.name, if prop.path.is_empty() { "neither" } else { "both" });
            self.note(place, found, "either a path, or two who carry it between them");
        }
        for name in prop.between.iter().flatten() {
            self.character(name, &format!("{place}.between"));
        }
        if prop.waits && !self.called.contains(prop.name.as_str()) {
            let found = format!("{} waits, and no beat starts it", prop.name);
            self.note(
                &format!("{place}.waits"),
                found,
                format!("then = [{{ prop = \"{}\" }}] in a beat", prop.name),
            );
        }
    }

    /// Times grow, the way can be gone in the time, and actions exist. `from`: where and when it begins (m, s).
    fn path(&self, role: &Role, path: &[Checkpoint], from: Option<(Ground, f64)>, place: &str) {
        let (mut last_place, mut last_time) = from.map_or((None, Some(0.0)), |(at, t)| (Some(at), Some(t)));
        // Since the last time that was given (m).
        let mut way = 0.0f64;
        for (idx, checkpoint) in path.iter().enumerate() {
            let place = format!("{place}[{idx}]");
            let stretch = last_place.map_or(0.0, |last| checkpoint.at.distance(last) - checkpoint.within);
            way += f64::from(stretch.max(0.0));
            last_place = Some(checkpoint.at);
            if let Some(time) = checkpoint.time {
                self.arrival(time, last_time, way, &place);
                (last_time, way) = (Some(time), 0.0);
            }
            for (key, words) in [("require", &checkpoint.require), ("forbid", &checkpoint.forbid)] {
                self.known_words(role, words, &format!("{place}.{key}"));
            }
            if let Some(word) = checkpoint.require.iter().find(|word| checkpoint.forbid.contains(word)) {
                let found = format!("{word} is required and forbidden");
                self.note(&format!("{place}.forbid"), found, "one of the two");
            }
        }
    }

    fn arrival(&self, time: f64, last: Option<f64>, way: f64, place: &str) {
        let place = format!("{place}.time");
        if time > self.scene.seconds {
            let allowed = format!("up to the scene's {} s", self.scene.seconds);
            self.note(&place, format!("time is {time}"), allowed);
        }
        let Some(last) = last else { return };
        if time <= last {
            self.note(&place, format!("time is {time}"), format!("later than {last} s"));
        } else if way > Screenplay::MAX_SPEED * (time - last) {
            let found = format!("impossible checkpoint: {way:.2} m in {:.2} s", time - last);
            let soonest = libm::ceil(100.0 * (last + way / Screenplay::MAX_SPEED)) / 100.0;
            let allowed = format!("up to {} m/s, so {soonest} s or later", Screenplay::MAX_SPEED);
            self.note(&place, found, allowed);
        }
    }

    fn controller(&self, role: &Role, controller: &Controller, place: &str) {
        if let Controller::Scripted { actions, .. } = controller {
            for (idx, word) in actions.iter().enumerate() {
                self.chosen(role, word, &format!("{place}.scripted[{idx}]"));
            }
        }
    }

    /// An action that somebody begins by itself.
    fn chosen(&self, role: &Role, word: &Annotation, place: &str) {
        self.known_word(role, word, place);
        if word.kind() == Kind::Reaction {
            let found = format!("nobody chooses {word}");
            self.note(place, found, "attacks, defences and transitions; a reaction follows from a blow");
        }
    }

    fn known_words(&self, role: &Role, words: &[Annotation], place: &str) {
        for (idx, word) in words.iter().enumerate() {
            self.known_word(role, word, &format!("{place}[{idx}]"));
        }
    }

    /// The words of built-in libraries are known; those of other libraries may be anybody's own.
    fn known_word(&self, role: &Role, word: &Annotation, place: &str) {
        if self.scene.library_of(role).is_some_and(|library| library.starts_with("builtin:")) {
            self.known(word, place);
        }
    }

    fn known(&self, word: &Annotation, place: &str) {
        if word.word().is_none() {
            let names = || KNOWN.iter().map(|word| word.name);
            let found = format!("unknown annotation {}", quoted(word.name()));
            self.source.note_at(place, found, listed(names()), nearest(word.name(), names()));
        }
    }

    fn record(&self, record: &Record, place: &str) {
        let is_builtin =
            |role: &Role| self.scene.library_of(role).is_some_and(|library| library.starts_with("builtin:"));
        if self.roles.iter().all(is_builtin) {
            self.known(&record.own, &format!("{place}.own"));
            self.known(&record.other, &format!("{place}.other"));
        }
    }

    /// Somebody by name, or a mistake.
    fn character(&self, name: &str, place: &str) -> Option<&'a Role> {
        let role = self.by_name.get(name).copied();
        if role.is_none() {
            self.nobody("character", name, self.by_name.keys().copied(), place);
        }
        role
    }

    fn nobody(&self, what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone, place: &str) {
        const MAX_LISTED: usize = 20;
        let n_names = names.clone().count();
        let mut allowed = listed(names.clone().take(MAX_LISTED));
        if n_names > MAX_LISTED {
            allowed.push_str(&format!(" and {} more", n_names - MAX_LISTED));
        }
        let found = format!("there is no {what} {}", quoted(name));
        let allowed = if n_names == 0 { format!("none: the scene has no {what}") } else { allowed };
        self.source.note_at(place, found, allowed, nearest(name, names));
    }

    fn opponent(&self, role: &Role, name: &str, place: &str) {
        let Some(other) = self.character(name, place) else { return };
        if other.team == role.team {
            let found = format!("{} and its opponent {name} are in one team", role.name);
            let others = self.roles.iter().filter(|other| other.team != role.team).take(20);
            self.note(place, found, listed(others.map(|other| other.name.as_str())));
        }
    }

    fn beat(&self, beat: &Beat, earlier: &'a [Beat], place: &str) {
        self.when(&beat.when, earlier, &format!("{place}.when"));
        for (idx, then) in beat.then.iter().enumerate() {
            self.then(then, &format!("{place}.then[{idx}]"));
        }
    }

    fn when(&self, when: &When, earlier: &'a [Beat], place: &str) {
        let key = |key: &str| format!("{place}.{key}");
        let two = |who: &str, whom: &str| {
            self.character(who, &key("who"));
            self.character(whom, &key("whom"));
            if who == whom {
                self.note(&key("whom"), format!("{whom} twice"), "two different characters");
            }
        };
        match when {
            When::Time(time) if *time > self.scene.seconds => {
                let allowed = format!("up to the scene's {} s", self.scene.seconds);
                self.note(&key("time"), format!("time is {time}"), allowed);
            }
            When::Time(_) => {}
            When::Beat { name, .. } => {
                let names = earlier.iter().map(|beat| beat.name.as_str());
                if names.clone().all(|known| known != name) {
                    self.nobody("earlier beat", name, names, &key("beat"));
                }
            }
            When::Checkpoint { who, number } => {
                if let Some(role) = self.character(who, &key("who")) {
                    let longest = self.longest_path(role);
                    if *number as usize > longest {
                        let found = format!("checkpoint is {number}");
                        self.note(&key("checkpoint"), found, format!("{who} has {longest} checkpoints"));
                    }
                }
            }
            When::Hits { who, whom, .. } | When::Distance { who, whom, .. } => two(who, whom),
            When::Down { who } => drop(self.character(who, &key("down"))),
            When::Struck { who, by } => {
                self.character(who, &key("struck"));
                self.a_prop(by, &key("by"));
            }
        }
    }

    fn longest_path(&self, role: &Role) -> usize {
        let later = self.scene.beats.iter().flat_map(|beat| &beat.then).filter_map(|then| match then {
            Then::Path { who, path } if *who == role.name => Some(path.len()),
            _ => None,
        });
        later.fold(role.path.len(), usize::max)
    }

    fn then(&self, then: &Then, place: &str) {
        let key = |key: &str| format!("{place}.{key}");
        let who = |name: &str| self.character(name, &key("who"));
        match then {
            Then::Style { who: name, .. } | Then::Poise { who: name, .. } => drop(who(name)),
            Then::Controller { who: name, controller } => {
                if let Some(role) = who(name) {
                    self.controller(role, controller, &key("controller"));
                }
            }
            Then::Path { who: name, path } => {
                if let Some(role) = who(name) {
                    self.path(role, path, None, &key("path"));
                }
            }
            Then::Opponent { who: name, whom } => {
                if let Some(role) = who(name) {
                    self.opponent(role, whom, &key("opponent"));
                }
            }
            Then::Enter { who } => {
                if self.character(who, &key("enter")).is_some_and(|role| !role.waits) {
                    let found = format!("{who} does not wait to enter");
                    self.note(&key("enter"), found, format!("waits = true for {who}"));
                }
            }
            Then::Leave { who } => drop(self.character(who, &key("leave"))),
            Then::Require { who: name, actions } => {
                who(name).into_iter().for_each(|role| self.known_words(role, actions, &key("require")));
            }
            Then::Forbid { who: name, actions } => {
                who(name).into_iter().for_each(|role| self.known_words(role, actions, &key("forbid")));
            }
            Then::Camera(camera) => self.camera(camera, &key("camera")),
            Then::Prop { name } => {
                self.a_prop(name, &key("prop"));
                if self.scene.props.iter().any(|prop| prop.name == *name && !prop.waits) {
                    let found = format!("{name} does not wait to start");
                    self.note(&key("prop"), found, format!("waits = true for {name}"));
                }
            }
            Then::End => {}
        }
    }

    fn a_prop(&self, name: &str, place: &str) {
        if !self.props.contains(name) {
            self.nobody("prop", name, self.props.iter().copied(), place);
        }
    }

    fn camera(&self, camera: &Camera, place: &str) {
        if let Camera::Fixed { eye, target, .. } = camera
            && eye == target
        {
            let place = format!("{place}.target");
            self.note(&place, "eye and target are one point".to_owned(), "a camera that looks somewhere");
        }
    }
}
