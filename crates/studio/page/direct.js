// Directing: places and checkpoints on the floor, styles, weights, depths, files.

import { css, el, short } from "./dom.js";
import { projected } from "./matrices.js";

/** Weights with their ranges; large ones on a logarithmic scale. */
const WEIGHTS = [
  ["distance", "Distance (m)", 0.2, 4], ["distance_weight", "… weight", 0, 100], ["angle_weight", "Facing weight", 0, 100],
  ["short_damage_weight", "Short blows", 0, 1e7, true], ["long_damage_weight", "Long blows", 0, 1e7, true],
  ["taken_weight", "Blows taken", 0, 1e7, true], ["combination_weight", "Combinations", 0, 1e6, true],
  ["recency_weight", "Not again", 0, 1e7, true], ["path_weight", "Way", 0, 1e4, true],
  ["requirement_weight", "Required", 0, 1e8, true],
];
const toSlider = (value, high, log) => (log ? Math.log10(1 + value) / Math.log10(1 + high) : value / high);
const fromSlider = (share, high, log) => (log ? Math.pow(1 + high, share) - 1 : share * high);

export class Direct {
  constructor(connection, state) {
    Object.assign(this, { connection, state, who: null });
  }

  at(list, t) {
    // A change holds from half a frame after the moment at which it was made.
    return list?.findLast((it) => it.t <= t + 0.012) ?? list?.[0];
  }

  get person() {
    const people = this.state.scene?.people ?? [];
    return people.find(({ name }) => name === this.who) ?? people[0];
  }

  /** From when on changes hold: now, on the frame. */
  get now() {
    return Math.max(0, Math.round(this.state.main.t * 60) / 60);
  }

  panel() {
    const { scene, connection } = { scene: this.state.scene, connection: this.connection };
    const files = el("div", { class: "row" },
      el("button", { id: "save", class: "primary", disabled: !scene, onclick: () => connection.ask("save"), title: "The scene as a file for the command line" }, "Save scene"),
      ["glb", "usda", "bvh", "gif"].map((format) => el("button", { id: `export-${format}`, onclick: () => connection.ask("export", { format }) }, format.toUpperCase())));
    if (!scene) return [el("h2", {}, "Files"), files, el("p", { class: "dim" }, "A take has nothing to direct. Open a scene above.")];
    const person = this.person;
    this.who = person?.name;
    const setting = this.at(person.settings, this.state.main.t);
    const ask = (what, more) => connection.ask(what, { who: person.name, at: this.now, ...more });
    const who = el("select", { id: "who", "aria-label": "Who", onchange: ({ target }) => { this.who = target.value; this.state.refresh(); } },
      scene.people.map(({ name }) => el("option", { value: name, selected: name === person.name }, name)));
    const style = el("select", { id: "style", "aria-label": "Style", onchange: ({ target }) => ask("style", { style: target.value }) },
      this.state.styles.map((name) => el("option", { value: name, selected: name === setting.style }, name)));
    const [kind, depth] = setting.controller.split(":");
    const controller = el("select", { id: "controller", "aria-label": "Controller", onchange: ({ target }) => ask("controller", { controller: ["gametree", "graph"].includes(target.value) ? `${target.value}:${depth ?? 3}` : target.value }) },
      [["gametree", "game tree"], ["graph", "interaction graph"], ["static", "static target"], ["random", "random"], ["still", "stands"]].map(([value, name]) => el("option", { value, selected: value === kind }, name)));
    const rows = [el("h2", {}, "Who"), el("div", { class: "row" }, el("span", { class: "chip", style: { background: css(person.color) } }), who),
      el("div", { class: "row" }, style), el("div", { class: "row" }, controller)];
    if (depth) rows.push(this.slider("depth", "Depth", Number(depth), 1, 5, 1, (value) => ask("controller", { controller: `${kind}:${value}` })));
    rows.push(el("h2", {}, `Weights from ${this.now.toFixed(2)} s on`));
    for (const [name, title, low, high, log] of WEIGHTS) rows.push(this.weight(person, setting, ask, name, title, low, high, log));
    rows.push(...this.way(person, ask));
    rows.push(el("h2", {}, "From here"), el("div", { class: "row" },
      el("button", { id: "rewind", title: "Forget later changes, and go on from here", onclick: () => connection.ask("rewind", { at: this.now }) }, "Rewind to here"),
      el("button", { id: "pin", "aria-pressed": String(Boolean(this.state.pinned.take)), title: "Keep this take beside the next one", onclick: () => connection.ask(this.state.pinned.take ? "unpin" : "pin") }, "Side by side")));
    rows.push(el("h2", {}, "Files"), files,
      el("p", { class: "dim" }, "Changes hold from the playhead on and take effect at the next decision. Drag rings on the floor to move starts and checkpoints; Alt-click adds one."));
    return rows;
  }

  slider(id, title, value, low, high, step, changed) {
    const output = el("output", {}, String(value));
    const input = el("input", { type: "range", id, min: String(low), max: String(high), step: String(step), "aria-label": title,
      oninput: ({ target }) => (output.textContent = target.value), onchange: ({ target }) => changed(Number(target.value)) });
    input.value = String(value);
    return el("div", { class: "slider" }, el("label", { for: id }, title), input, output);
  }

  weight(person, setting, ask, name, title, low, high, log) {
    const value = setting.weights[name];
    const first = person.settings[0].weights[name];
    const output = el("output", {}, short(value));
    const read = (target) => Math.max(low, Number(fromSlider(Number(target.value), high, log).toPrecision(3)));
    const input = el("input", { type: "range", id: `weight-${name}`, min: "0", max: "1", step: "0.001", "aria-label": title, "aria-valuetext": short(value),
      oninput: ({ target }) => (output.textContent = short(read(target))), onchange: ({ target }) => ask("weight", { weight: name, value: read(target) }) });
    input.value = String(toSlider(Math.min(value, high), high, log));
    return el("div", { class: Math.abs(value - first) > 1e-9 ? "slider changed" : "slider" }, el("label", { for: `weight-${name}` }, title), input, output);
  }

  way(person, ask) {
    const path = this.at(person.paths, this.state.main.t);
    if (!person.changeable) return [el("h2", {}, "Way"), el("p", { class: "dim" }, "One of a formation, which changes as a whole.")];
    const send = (k, more) => {
      const { at, time, require } = path.points[k];
      ask("checkpoint", { number: k + 1, x: at[0], z: at[1], time, require, ...more });
    };
    const rows = path.points.slice(0, 12).map((point, k) => el("div", { class: "row" }, el("span", { class: "dim" }, `${k + 1}`),
      el("input", { type: "number", step: "0.5", min: "0", "aria-label": `Time of checkpoint ${k + 1}`, value: point.time === null ? "" : String(+point.time.toFixed(2)),
        onchange: ({ target }) => send(k, { time: target.value === "" ? null : Number(target.value) }) }),
      el("input", { type: "text", "aria-label": `Required at checkpoint ${k + 1}`, placeholder: "required actions", value: point.require.join(" "),
        onchange: ({ target }) => send(k, { require: target.value.split(/[\s,]+/).filter(Boolean) }) }),
      el("button", { class: "quiet", "aria-label": `Remove checkpoint ${k + 1}`, onclick: () => ask("remove-checkpoint", { number: k + 1 }) }, "✕")));
    const last = path.points.at(-1)?.at ?? person.at;
    rows.push(el("button", { id: "add-checkpoint", onclick: () => this.add(person, [last[0], last[1] + 1.5]) }, "Add checkpoint"));
    return [el("h2", {}, "Way"), ...rows];
  }

  add(person, [x, z]) {
    const path = this.at(person.paths, this.state.main.t);
    const before = path.points.at(-1)?.time ?? this.now;
    this.connection.ask("checkpoint", { who: person.name, number: path.points.length + 1, x, z, time: before + 4, require: [], at: this.now });
  }

  /** Rings and lines on the floor. */
  marks(scene, theme) {
    const people = this.state.scene?.people;
    if (!people || people.length > 40) return;
    for (const person of people) {
      const chosen = this.state.mode === "direct" && person.name === this.who;
      const color = person.color;
      const shown = (kind, number, at) => (this.held?.who === person.name && this.held.kind === kind && this.held.number === number ? this.held.at : at);
      if (this.state.mode === "direct") scene.rings.push({ at: shown("start", 0, person.at), radius: 0.3, filled: 0.25, color: [...color, chosen ? 0.95 : 0.6] });
      const points = this.at(person.paths, this.state.main.t)?.points ?? [];
      const way = [shown("start", 0, person.at), ...points.map(({ at }, k) => shown("checkpoint", k + 1, at))];
      points.forEach(({ within }, k) => scene.rings.push({ at: way[k + 1], radius: Math.max(within, 0.2), color: [...color, 0.8] }));
      if (points.length && people.length <= 12)
        scene.ribbons.push({ points: way.map(([x, z]) => [x, 0.01, z]), width: 0.03, color: [...color, theme === "dark" ? 0.5 : 0.7], even: true });
    }
  }

  /** What can be dragged, nearest to a point of the picture. */
  handleAt(px, py, camera) {
    let best = null;
    for (const person of this.state.scene?.people ?? []) {
      if (!person.changeable) continue;
      const offer = (kind, number, at) => {
        const [x, y, w] = projected(camera.matrix, [at[0], 0, at[1]]);
        const off = Math.hypot((x - px) * camera.aspect, y - py);
        if (w > 0 && off < 0.09 && (!best || off < best.off)) best = { who: person.name, kind, number, at, off };
      };
      offer("start", 0, person.at);
      (this.at(person.paths, this.state.main.t)?.points ?? []).forEach(({ at }, k) => offer("checkpoint", k + 1, at));
    }
    return best;
  }

  grab(px, py, camera) {
    this.held = this.handleAt(px, py, camera);
    if (this.held && this.held.who !== this.who) {
      this.who = this.held.who;
      this.state.refresh();
    }
    return Boolean(this.held);
  }

  drag(px, py, camera) {
    const at = camera.floorAt(px, py);
    if (at && this.held) Object.assign(this.held, { at: at.map((n) => Math.round(n * 20) / 20), moved: true });
  }

  release() {
    const held = this.held;
    this.held = null;
    if (!held?.moved) return;
    const [x, z] = held.at;
    if (held.kind === "start") return this.connection.ask("start", { who: held.who, x, z });
    const person = this.state.scene.people.find(({ name }) => name === held.who);
    const { time, require } = this.at(person.paths, this.state.main.t).points[held.number - 1];
    this.connection.ask("checkpoint", { who: held.who, number: held.number, x, z, time, require, at: this.now });
  }
}
