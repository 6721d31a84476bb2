// Rivals who act at once: what each might do as arrows, and where it pays to be unpredictable as a map on the floor.

import { el, short } from "./dom.js";

const MANNERS = [["optimal", "Draws from the mixed policy"], ["greedy", "Takes turns"], ["random-greedy", "Takes turns, at random among three"],
  ["reward-only", "Looks at the next reward alone"], ["adaptive", "Learns the other's habits"], ["only-left", "Only ever turns left"]];

export class Wits {
  constructor(connection, state) {
    Object.assign(this, { connection, state, arrows: true, ground: true, map: null });
    this.choice = { game: "tag", agent: "optimal", opponent: "optimal", seed: 1 };
    connection.on("wits", (told) => {
      this.map = told.map;
      state.refresh();
    });
  }

  start() {
    this.map = null;
    this.connection.ask("wits", this.choice);
  }

  /** What somebody decided last: when, from where, facing where, and all that they might have done instead. */
  decided(person) {
    return person.plans?.findLast(([t]) => t <= this.state.main.t + 1e-3);
  }

  panel() {
    const { choice, state } = this;
    const select = (id, title, options, key) => el("label", { class: "row" }, el("span", { class: "dim" }, title),
      el("select", { id, onchange: ({ target }) => (choice[key] = target.value) }, options.map(([value, name]) => el("option", { value, selected: value === choice[key] }, name))));
    const toggle = (id, key, title) => el("button", { id, "aria-pressed": String(this[key]), onclick: () => { this[key] = !this[key]; state.refresh(); } }, title);
    const people = state.main.take?.people.filter(({ plans }) => plans?.length) ?? [];
    const rows = [el("h2", {}, "Game"),
      select("wits-game", "What", [["tag", "Tag: one chases, the other runs"], ["sword", "Sword: both cut and block"]], "game"),
      select("wits-agent", "First", MANNERS, "agent"), select("wits-opponent", "Second", MANNERS, "opponent"),
      el("label", { class: "row" }, el("span", { class: "dim" }, "Seed"), el("input", { type: "number", id: "wits-seed", min: "0", max: "999999", value: String(choice.seed), onchange: ({ target }) => (choice.seed = Math.max(0, Math.round(Number(target.value) || 0))) })),
      el("div", { class: "row" }, el("button", { id: "wits-start", class: "primary", onclick: () => this.start() }, "Play"), toggle("wits-arrows", "arrows", "Arrows"), toggle("wits-map", "ground", "Map")),
      el("p", { class: "dim" }, "Arrows lead to where each might be after this decision; the likelier, the stronger. The floor is brightest where it pays most to be unpredictable.")];
    if (!people.length) return rows;
    rows.push(el("h2", {}, "This decision"), ...people.map((person) => el("p", { class: "dim", id: `wits-${person.name}` }, this.words(person))));
    const rivals = state.report?.rivals;
    for (const [k, belief] of (rivals?.beliefs ?? []).entries())
      if (belief) rows.push(el("p", {}, `What ${people[k]?.name ?? "one"} believes of the other: ${Object.entries(belief).filter(([, value]) => typeof value === "number").map(([key, value]) => `${key.replaceAll("_", " ")} ${short(value)}`).join(", ")}`));
    return rows;
  }

  words(person) {
    const [, , , , plans] = this.decided(person) ?? [];
    if (!plans) return `${person.name}: nothing decided yet`;
    const surest = Math.max(...plans.map(([, , p]) => p));
    return `${person.name} draws among ${plans.length}, the likeliest with ${(100 * surest).toFixed(0)} %`;
  }

  /** Keeps the words on this decision true while the clock runs. */
  show() {
    for (const person of this.state.main.take?.people ?? []) {
      const line = document.getElementById(`wits-${person.name}`);
      if (line) line.textContent = this.words(person);
    }
  }

  marks(scene) {
    const people = this.state.main.take?.people ?? [];
    const [, opponent] = people;
    if (this.ground && this.map && opponent && this.state.main.take.name === "tag") this.floor(scene, opponent);
    if (!this.arrows) return;
    for (const person of people) {
      const [, x, z, , plans] = this.decided(person) ?? [];
      for (const [toX, toZ, p] of plans ?? []) {
        if (p < 0.005 || Math.hypot(toX - x, toZ - z) < 0.02) continue;
        const pale = person.color.map((c) => 0.25 + 0.75 * Math.sqrt(c));
        scene.ribbons.push({ points: [[x, 0.03, z], [toX, 0.03, toZ]], width: 0.03 + 0.12 * p, color: [...pale, 0.25 + 0.75 * p], even: true });
        scene.rings.push({ at: [toX, toZ], radius: 0.05 + 0.1 * Math.sqrt(p), filled: 1, color: [...person.color, 0.35 + 0.6 * p] });
      }
    }
  }

  /** The map lies around the opponent, who faces +Z in its middle. */
  floor(scene, opponent) {
    const [, x, z, heading] = this.decided(opponent) ?? [];
    if (x === undefined) return;
    const { n, reach, spread } = this.map;
    const most = Math.max(0.02, ...spread);
    const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
    for (let square = 0; square < n * n; square++) {
      const share = spread[square] / most;
      if (share < 0.04) continue;
      const at = (k) => reach * (1 - (2 * (k + 0.5)) / n);
      const [left, ahead] = [at(square % n), at(Math.floor(square / n))];
      scene.rings.push({ at: [x + cos * left + sin * ahead, z - sin * left + cos * ahead], radius: (0.95 * reach) / n, filled: 1, color: [0.95, 0.62, 0.12, 0.08 + 0.5 * share] });
    }
  }
}
