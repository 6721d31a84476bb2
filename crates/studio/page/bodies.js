// Whole bodies in contact: what the user moves, and what is said when it cannot be done.

import { el, short } from "./dom.js";
import { projected } from "./matrices.js";

const TITLES = { king: "King of the castle", funambulist: "Funambulist", sword: "Sword", acrobats: "Acrobats", door: "Door", valve: "Valve", box: "Box", lever: "Lever" };

export class Bodies {
  constructor(connection, state) {
    Object.assign(this, { connection, state, running: null, told: null, scenarios: [] });
    connection.on("welcome", ({ scenarios }) => (this.scenarios = scenarios ?? []));
    connection.on("bodies", (told) => this.tell(told));
  }

  start(scenario) {
    Object.assign(this, { running: scenario, told: null });
    this.connection.ask("bodies", { scenario });
    this.state.refresh();
  }

  stop() {
    if (this.running) this.connection.ask("end");
    Object.assign(this, { running: null, told: null });
  }

  set(name, value) {
    this.connection.ask("input", { name, value });
  }

  tell(told) {
    const isNew = !this.told;
    this.told = told;
    if (this.state.mode !== "bodies") return;
    if (isNew) return this.state.refresh();
    const trouble = document.getElementById("trouble");
    if (trouble) trouble.textContent = told.trouble ? `Cannot be done as asked: ${told.trouble}` : "All is done as asked.";
    trouble?.classList.toggle("bad", Boolean(told.trouble));
    const results = document.getElementById("body-results");
    if (results) results.replaceChildren(...this.results());
    for (const { name, kind, value } of told.inputs) {
      const values = kind === "point" ? value : [value];
      values.forEach((number, k) => {
        const slider = document.getElementById(`input-${name}-${k}`);
        if (!slider || slider.matches(":active") || slider === document.activeElement) return;
        slider.value = String(number);
        slider.nextSibling.textContent = short(number);
      });
    }
  }

  results() {
    return [el("tr", {}, el("th", {}, "time"), el("td", {}, `${this.told.t.toFixed(1)} s`)),
      ...this.told.results.map(([name, value]) => el("tr", {}, el("th", {}, name.replaceAll("_", " ")), el("td", {}, short(value))))];
  }

  panel() {
    const rows = [el("h2", {}, "Scenario"), el("div", { class: "row" },
      el("select", { id: "scenario", "aria-label": "Scenario", onchange: ({ target }) => this.start(target.value) },
        el("option", { value: "", disabled: true, selected: !this.running }, "Choose …"),
        this.scenarios.map((name) => el("option", { value: name, selected: name === this.running }, TITLES[name] ?? name))),
      el("button", { id: "scenario-again", disabled: !this.running, onclick: () => this.start(this.running) }, "Again"))];
    if (!this.told) return [...rows, el("p", { class: "dim" }, "People, things and the ground in one quadratic program. Take over what the script moves: drag the bright points in the picture, or use the sliders.")];
    rows.push(el("h2", {}, "You move"));
    for (const { name, kind, low, high, value, unit } of this.told.inputs) {
      const axes = kind === "point" ? ["x", "y", "z"] : [""];
      axes.forEach((axis, k) => {
        const at = (list) => (kind === "point" ? list[k] : list);
        const send = ({ target }) => {
          target.nextSibling.textContent = short(Number(target.value));
          if (kind !== "point") return this.set(name, Number(target.value));
          const now = [...this.told.inputs.find((input) => input.name === name).value];
          now[k] = Number(target.value);
          this.set(name, now);
        };
        const slider = el("input", { type: "range", id: `input-${name}-${k}`, min: String(at(low)), max: String(at(high)), step: String((at(high) - at(low)) / 400), "aria-label": `${name} ${axis}`, oninput: send });
        slider.value = String(at(value));
        rows.push(el("div", { class: "slider" }, el("label", { for: `input-${name}-${k}` }, `${name.replaceAll("_", " ")} ${axis}${unit ? ` (${unit})` : ""}`), slider, el("output", {}, short(at(value)))));
      });
    }
    rows.push(el("h2", {}, "Can it be done?"), el("p", { id: "trouble", role: "status" }, this.told.trouble ?? "All is done as asked."),
      el("h2", {}, "How it goes"), el("table", { class: "facts", id: "body-results" }, this.results()));
    return rows;
  }

  points() {
    return this.running && this.told ? this.told.inputs.filter(({ kind }) => kind === "point") : [];
  }

  /** Bright points for what can be dragged. */
  marks(scene) {
    for (const { name, value } of this.points()) {
      const at = this.held?.name === name ? this.held.at : value;
      scene.stars.push({ at, size: 0.26, color: [0.35, 0.9, 0.75, 0.95] });
      scene.rings.push({ at: [at[0], at[2]], radius: 0.08, filled: 1, color: [0.05, 0.5, 0.35, 0.5] });
    }
  }

  grab(px, py, camera) {
    this.held = null;
    for (const { name, value } of this.points()) {
      const [x, y, w] = projected(camera.matrix, value);
      if (w > 0 && Math.hypot((x - px) * camera.aspect, y - py) < 0.1) this.held = { name, at: [...value] };
    }
    return Boolean(this.held);
  }

  drag(px, py, camera) {
    const at = this.held && camera.planeAt(px, py, this.held.at);
    if (!at) return;
    this.held.at = at;
    this.set(this.held.name, at);
  }

  release() {
    this.held = null;
  }
}
