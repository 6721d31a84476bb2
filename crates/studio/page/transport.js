// The clock's buttons and keys.

import { byId } from "./dom.js";

const FRAME = 1 / 60;

export class Transport {
  constructor(connection, state) {
    this.connection = connection;
    this.state = state;
    const click = (id, does) => byId(id).addEventListener("click", does);
    click("play", () => this.toggle());
    click("to-start", () => this.seek(0));
    click("to-end", () => this.seek(this.end));
    click("step-back", () => this.step(-FRAME));
    click("step-on", () => this.step(FRAME));
    click("loop", () => connection.ask("loop", { on: !state.clock.loops }));
    byId("speed").addEventListener("change", ({ target }) => connection.ask("speed", { rate: Number(target.value) }));
    connection.on("clock", (clock) => {
      Object.assign(state.clock, clock);
      const button = byId("play");
      button.textContent = clock.runs ? "❚❚" : "▶";
      button.setAttribute("aria-label", clock.runs ? "Stop" : "Play");
      byId("loop").setAttribute("aria-pressed", String(clock.loops));
      byId("speed").value = String(clock.rate);
    });
  }

  get end() {
    return this.state.main.take?.ready ?? 0;
  }

  toggle() {
    this.connection.ask("play", { on: !this.state.clock.runs });
  }

  /** Goes to a time and stays there. */
  seek(t) {
    if (this.state.clock.runs) this.connection.ask("play", { on: false });
    this.state.clock.t = t;
    this.wanted = this.target = t;
    // One at a time, the latest: a drag makes many.
    if (this.waiting) return;
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.connection.ask("seek", { t: this.wanted });
    }, 15);
  }

  step(by) {
    // Several steps in a row count, also before the first one is shown.
    const from = this.target ?? this.state.main.t;
    this.seek(Math.min(Math.max(Math.round((from + by) * 60) / 60, 0), this.end));
  }

  show(t) {
    if (Math.abs(t - this.target) < 1e-3 || this.state.clock.runs) this.target = null;
    byId("time").textContent = t.toFixed(2);
    const take = this.state.main.take;
    byId("of").textContent = take ? `/ ${take.seconds.toFixed(2)} s · frame ${Math.round(t * 60)}` : "";
  }
}
