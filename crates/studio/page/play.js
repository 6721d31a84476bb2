// A bout against the computer, by keyboard or gamepad.

import { byId, el } from "./dom.js";

const KEYS = { KeyW: "forward", ArrowUp: "forward", KeyS: "back", ArrowDown: "back", KeyA: "left", ArrowLeft: "left", KeyD: "right", ArrowRight: "right", KeyJ: "punch", KeyK: "kick", KeyI: "dodge", KeyL: "avoid" };
const PADS = [["forward", "W"], ["punch", "J"], ["kick", "K"], ["dodge", "I"], ["back", "S"], ["left", "A"], ["right", "D"], ["avoid", "L"]];
/** Buttons of a standard gamepad. */
const BUTTONS = { 0: "punch", 1: "kick", 2: "dodge", 3: "avoid", 12: "forward", 13: "back", 14: "left", 15: "right" };
const STYLES = { boxing: ["general-boxer", "infighter", "outboxer"], sword: ["sword-fighter"] };

export class Play {
  constructor(connection, state) {
    Object.assign(this, { connection, state, running: false, down: new Set(), latencies: [] });
    this.choice = { discipline: "boxing", rival: "gametree", depth: 2, style: "general-boxer" };
    connection.on("score", (score) => this.scored(score));
  }

  start() {
    this.running = true;
    this.score = null;
    this.connection.ask("match", this.choice);
    byId("stage").focus();
  }

  stop() {
    if (this.running) this.connection.ask("end");
    this.running = false;
    byId("scoreboard").hidden = true;
  }

  /** A key went down or up. */
  press(key, down) {
    if (!this.running || this.down.has(key) === down) return;
    if (down) {
      this.down.add(key);
      this.pressed = { at: performance.now(), doing: this.score?.doing?.[0]?.[0] };
    } else this.down.delete(key);
    document.querySelector(`[data-pad="${key}"]`)?.classList.toggle("down", down);
    this.connection.ask("key", { key, down });
  }

  keyboard(event, down) {
    const key = KEYS[event.code];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (!event.repeat) this.press(key, down);
    return true;
  }

  gamepads() {
    if (!this.running) return;
    const wanted = new Set();
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      for (const [button, key] of Object.entries(BUTTONS)) if (pad.buttons[button]?.pressed) wanted.add(key);
      const [x, y] = pad.axes;
      if (y < -0.5) wanted.add("forward");
      if (y > 0.5) wanted.add("back");
      if (x < -0.5) wanted.add("left");
      if (x > 0.5) wanted.add("right");
    }
    const before = this.padded ?? new Set();
    for (const key of wanted) if (!before.has(key)) this.press(key, true);
    for (const key of before) if (!wanted.has(key)) this.press(key, false);
    this.padded = wanted;
  }

  scored(score) {
    const doing = score.doing[0][0];
    if (this.pressed && doing !== this.pressed.doing) {
      this.latencies.push(performance.now() - this.pressed.at);
      if (this.latencies.length > 500) this.latencies.shift();
      this.pressed = null;
    }
    this.score = score;
    const board = byId("scoreboard");
    board.hidden = false;
    const [you, rival] = score.hits;
    const side = (name, title, [hits, stopped], k) => el("div", {}, el("div", { class: `big ${name}` }, score.damage[k].toFixed(0)), el("div", { class: "dim" }, `${title} · ${hits} hits, ${stopped} stopped`));
    board.replaceChildren(side("you", "you", you, 0), el("div", { class: "dim" }, "damage"), side("rival", "rival", rival, 1));
    const status = byId("bout-doing");
    if (status) status.textContent = `you: ${score.doing[0][0]} · rival: ${score.doing[1][0]}${score.rival.kind === "gametree" ? ` (looked ${score.depth} ahead)` : ""}`;
  }

  panel() {
    const { choice } = this;
    const select = (id, title, options, key, changed) => el("label", { class: "row" }, el("span", { class: "dim" }, title),
      el("select", { id, onchange: ({ target }) => { choice[key] = target.value; changed?.(); } }, options.map(([value, name]) => el("option", { value, selected: value === choice[key] }, name))));
    const live = () => this.running && this.connection.ask("rival", { depth: choice.depth, style: choice.style });
    const depth = el("input", { type: "range", id: "bout-depth", min: "1", max: "5", step: "1", "aria-label": "Difficulty",
      oninput: ({ target }) => { choice.depth = Number(target.value); target.nextSibling.textContent = target.value; }, onchange: live });
    depth.value = String(choice.depth);
    const discipline = () => {
      choice.style = STYLES[choice.discipline][0];
      if (this.running) this.start();
      this.state.refresh();
    };
    return [el("h2", {}, "Bout"),
      select("bout-discipline", "What", [["boxing", "Boxing"], ["sword", "Sword"]], "discipline", discipline),
      select("bout-rival", "Against", [["gametree", "Game tree"], ["graph", "Interaction graph"]], "rival", () => this.running && this.start()),
      select("bout-style", "Style", STYLES[choice.discipline].map((name) => [name, name]), "style", live),
      el("div", { class: "slider" }, el("label", { for: "bout-depth" }, "Difficulty"), depth, el("output", {}, String(choice.depth))),
      el("div", { class: "row" }, el("button", { id: "bout-start", class: "primary", onclick: () => { this.start(); this.state.refresh(); } }, this.running ? "Again" : "Start"),
        el("button", { id: "bout-stop", disabled: !this.running, onclick: () => { this.stop(); this.state.refresh(); } }, "Stop")),
      el("p", { class: "dim", id: "bout-doing" }, "Difficulty is how many choices the rival looks ahead. Style and difficulty change while you play."),
      el("h2", {}, "Keys"),
      el("div", { class: "pads" }, PADS.map(([key, letter]) => el("button", { "data-pad": key,
        onpointerdown: () => this.press(key, true), onpointerup: () => this.press(key, false), onpointerleave: () => this.press(key, false) }, key, el("kbd", {}, letter)))),
      el("p", { class: "dim" }, "Arrow keys and a gamepad work, too: stick or cross to move, A punch, B kick, X dodge, Y avoid.")];
  }
}
