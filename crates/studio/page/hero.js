// The hero of a scene of patches, steered while it goes on.

import { el } from "./dom.js";

/** What can be asked in each plan: word, title, key. */
const PLANS = {
  "one-one": { title: "One against one", asks: [["punch", "Punch", "J"], ["kick", "Kick", "K"], ["avoid", "Avoid", "L"]] },
  "one-many": { title: "One against many", asks: [["punch", "Punch", "J"], ["kick", "Kick", "K"], ["avoid", "Avoid", "L"]] },
  football: { title: "Football", asks: [["dodge", "Dodge", "J"], ["jump-over", "Leap", "K"]] },
};
const WAYS = [["left", "◂", -90], ["ahead", "▴", 0], ["back", "▾", 180], ["right", "▸", 90]];
const KEYS = { KeyW: "ahead", ArrowUp: "ahead", KeyS: "back", ArrowDown: "back", KeyA: "left", ArrowLeft: "left", KeyD: "right", ArrowRight: "right" };

export class Hero {
  constructor(connection, state, camera) {
    Object.assign(this, { connection, state, camera, running: false, plan: "one-many", seed: 1, asked: null, way: null });
  }

  start() {
    Object.assign(this, { running: true, asked: null, way: null });
    document.body.dataset.hero = "on";
    this.connection.ask("hero", { plan: this.plan, seed: this.seed });
    document.getElementById("stage").focus();
  }

  stop() {
    this.running = false;
    delete document.body.dataset.hero;
  }

  /** Asks for an action, or for whatever they like. */
  act(word) {
    this.asked = this.asked === word ? null : word;
    this.tell();
  }

  /** Sends them somewhere, as it is seen in the picture; the same again lets them go. */
  go(way) {
    this.way = this.way === way ? null : way;
    this.tell();
  }

  free() {
    Object.assign(this, { asked: null, way: null });
    this.tell();
  }

  tell() {
    const wanted = { actions: this.asked ? [this.asked] : [] };
    const way = WAYS.find(([name]) => name === this.way);
    // Headings turn to the left, and the camera looks against its own.
    if (way) wanted.direction = degrees(this.camera.heading * (180 / Math.PI) + 180 - way[2]);
    this.connection.ask("command", wanted);
    this.state.refresh();
  }

  /** A key went down; whether it means something here. */
  keyboard(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const ask = PLANS[this.plan].asks.find(([, , letter]) => event.code === `Key${letter}`);
    const way = KEYS[event.code];
    if (!ask && !way && event.code !== "KeyO") return false;
    if (event.repeat) return true;
    if (ask) this.act(ask[0]);
    else if (way) this.go(way);
    else this.free();
    return true;
  }

  panel() {
    const rows = [el("h2", {}, "Hero of a crowd"),
      el("label", { class: "row" }, el("span", { class: "dim" }, "What"), el("select", { id: "hero-plan", onchange: ({ target }) => { this.plan = target.value; this.state.refresh(); } },
        Object.entries(PLANS).map(([value, { title }]) => el("option", { value, selected: value === this.plan }, title)))),
      el("div", { class: "row" }, el("button", { id: "hero-start", class: this.running ? "" : "primary", onclick: () => this.state.lead() }, this.running ? "Again" : "Start"),
        el("button", { id: "hero-free", disabled: !this.running, onclick: () => this.free() }, "As they like (O)"))];
    if (!this.running) return [...rows, el("p", { class: "dim" }, "Steer the main character of a scene of patches, and ask for what it does. The scene can be saved afterwards.")];
    const pad = (pressed, id, title, letter, does) => el("button", { id, "aria-pressed": String(pressed), onclick: does }, title, el("kbd", {}, letter));
    rows.push(el("div", { class: "pads three" }, PLANS[this.plan].asks.map(([word, title, letter]) => pad(this.asked === word, `hero-${word}`, title, letter, () => this.act(word)))));
    rows.push(el("div", { class: "pads" }, WAYS.map(([name, sign]) => pad(this.way === name, `hero-${name}`, sign, { left: "A", ahead: "W", back: "S", right: "D" }[name], () => this.go(name)))));
    const wishes = this.state.report?.patches?.wishes;
    rows.push(el("p", { class: "dim", id: "hero-wishes" }, wishes?.asked ? `Followed ${wishes.met} of ${wishes.asked} times; ${wishes.asked - wishes.possible} times nobody could come for it.` : "Whoever is on their way is met first."));
    return rows;
  }
}

/** An angle from -180 to 180. */
const degrees = (angle) => Math.round(((((angle + 180) % 360) + 360) % 360) - 180);
