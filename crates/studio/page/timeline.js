// The timeline: a track for each character, with actions by colour, decisions, hits, faults and changes.

import { byId, css, short, variable } from "./dom.js";

const RULER = 18;
const LEFT = 78;

export class Timeline {
  /** `heard` is told of `seek(t)` and `decision({ who, t })`. */
  constructor(heard) {
    this.heard = heard;
    this.canvas = byId("timeline");
    this.context = this.canvas.getContext("2d");
    this.take = null;
    this.scene = null;
    this.t = 0;
    this.selected = null;
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", () => (this.held = false));
    new ResizeObserver(() => this.layout()).observe(byId("timeline-box"));
  }

  tell(take) {
    this.take = take;
    this.layout();
  }

  layout() {
    const n = this.take?.people?.length ?? 0;
    this.row = n > 24 ? 7 : n > 8 ? 12 : n > 4 ? 17 : 24;
    const height = RULER + Math.max(n, 1) * this.row + 8;
    const scale = devicePixelRatio || 1;
    this.canvas.style.setProperty("height", `${height}px`);
    this.width = this.canvas.clientWidth;
    this.height = height;
    this.canvas.width = Math.max(1, Math.round(this.width * scale));
    this.canvas.height = Math.round(height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.draw();
  }

  get seconds() {
    return Math.max(this.take?.seconds ?? 0, 0.001);
  }

  x(t) {
    return LEFT + ((this.width - LEFT - 6) * t) / this.seconds;
  }

  time(x) {
    return Math.min(Math.max(((x - LEFT) / (this.width - LEFT - 6)) * this.seconds, 0), this.seconds);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (!this.take) return;
    this.canvas.setPointerCapture(event.pointerId);
    const [x, y] = this.at(event);
    this.held = true;
    const decision = this.decisionAt(x, y);
    if (decision) this.heard.decision(decision);
    else this.heard.seek(this.time(x));
  }

  move(event) {
    if (this.held) this.heard.seek(this.time(this.at(event)[0]));
    else if (this.take) this.canvas.title = this.title(...this.at(event));
  }

  /** The action under a point. */
  actionAt(x, y) {
    const person = this.take?.people?.[Math.floor((y - RULER) / this.row)];
    if (!person?.acts || x < LEFT) return null;
    const t = this.time(x);
    const act = person.acts.findLast((it) => it[0] <= t);
    return act ? { who: person.name, act } : null;
  }

  /** The decision whose mark is under a point, or whose action is, in the upper half of a track. */
  decisionAt(x, y) {
    const found = this.actionAt(x + 3, y);
    if (!found || !found.act[3] || y < RULER) return null;
    const near = Math.abs(this.x(found.act[0]) - x) < 5;
    const upper = (y - RULER) % this.row < this.row * 0.75;
    return near || (upper && this.picks) ? { who: found.who, t: found.act[0] } : null;
  }

  title(x, y) {
    for (const fault of this.take.findings ?? []) {
      const row = this.take.people.findIndex(({ name }) => name === fault.who);
      const top = RULER + row * this.row + this.row - 5;
      if (y > top && y < top + 6 && x >= this.x(fault.from) - 2 && x <= this.x(fault.to) + 2)
        return `${fault.kind.replaceAll("_", " ")}${fault.part ? ` (${fault.part})` : ""}: ${short(fault.value)} ${fault.unit}, limit ${short(fault.limit)}`;
    }
    const found = this.actionAt(x, y);
    return found ? `${found.who}: ${found.act[1]} from ${found.act[0].toFixed(2)} s` : "";
  }

  draw() {
    const c = this.context;
    const { width, height, row } = this;
    if (!width) return;
    const color = (name) => variable(name);
    c.clearRect(0, 0, width, height);
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    if (!this.take) return;
    const colors = Object.fromEntries(["move", "attack", "defence", "reaction", "hit", "fault"].map((k) => [k, color(`--k-${k}`)]));
    const [line, dim, text, accent] = ["--line", "--dim", "--text", "--accent"].map(color);
    const step = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300].find((s) => this.x(s) - this.x(0) > 55) ?? 600;
    for (let t = 0; t <= this.seconds + 1e-6; t += step) {
      c.fillStyle = line;
      c.fillRect(Math.round(this.x(t)), 12, 1, height - 12);
      c.fillStyle = dim;
      c.fillText(`${+t.toFixed(2)}`, this.x(t) + 3, 7);
    }
    this.take.people?.forEach((person, k) => {
      const top = RULER + k * row;
      const inner = Math.max(row - 5, 3);
      if (row >= 11) {
        c.fillStyle = css(person.color);
        c.fillRect(0, top + row / 2 - 5, 4, 10);
        c.fillStyle = text;
        c.fillText(person.name.length > 10 ? `${person.name.slice(0, 9)}…` : person.name, 9, top + row / 2);
      }
      const acts = person.acts ?? [];
      acts.forEach((act, index) => {
        const from = this.x(act[0]);
        const to = this.x(Math.min(acts[index + 1]?.[0] ?? person.exit ?? this.take.ready, this.take.ready));
        c.fillStyle = colors[act[2]] ?? colors.move;
        c.fillRect(from + 0.5, top + 2, Math.max(to - from - 1, 1), inner);
        if (row >= 17 && to - from > 46) {
          c.fillStyle = act[2] === "move" ? text : "#fff";
          c.save();
          c.beginPath();
          c.rect(from, top, to - from - 3, row);
          c.clip();
          c.fillText(act[1].replace(/-\d+$/, ""), from + 5, top + 2 + inner / 2);
          c.restore();
        }
        if (act[3] && row >= 12) {
          const chosen = this.selected && this.selected.who === person.name && Math.abs(this.selected.t - act[0]) < 0.01;
          c.fillStyle = chosen ? accent : text;
          c.globalAlpha = chosen ? 1 : 0.55;
          c.fillRect(from - (chosen ? 1.5 : 0), top + 1, chosen ? 4 : 1.5, inner + 2);
          c.globalAlpha = 1;
        }
      });
      for (const mark of this.take.marks) {
        if (mark.whom !== person.name || (mark.kind !== "hit" && mark.kind !== "blocked")) continue;
        c.fillStyle = mark.kind === "hit" ? colors.hit : colors.defence;
        c.strokeStyle = "rgb(0 0 0 / .45)";
        c.beginPath();
        c.arc(this.x(mark.t), top + 2 + inner / 2, Math.min(4.2, row / 3), 0, 7);
        c.fill();
        c.stroke();
      }
      for (const mark of this.take.marks) {
        if (mark.kind !== "checkpoint" || mark.who !== person.name) continue;
        c.strokeStyle = text;
        c.strokeRect(this.x(mark.t) - 3, top + 2 + inner / 2 - 3, 6, 6);
      }
      for (const fault of this.take.findings ?? []) {
        if (fault.who !== person.name) continue;
        c.fillStyle = colors.fault;
        c.fillRect(this.x(fault.from) - 1, top + row - 4, Math.max(this.x(fault.to) - this.x(fault.from), 3), 3);
      }
    });
    for (const mark of this.take.marks) {
      if (mark.kind !== "phase" || !mark.name || String(mark.name).startsWith("studio-")) continue;
      c.fillStyle = dim;
      c.fillRect(this.x(mark.t), 2, 1, 12);
      c.fillText(String(mark.name), this.x(mark.t) + 3, 13);
    }
    for (const t of this.scene?.changes ?? []) {
      c.fillStyle = accent;
      c.beginPath();
      c.moveTo(this.x(t) - 4, 11);
      c.lineTo(this.x(t) + 4, 11);
      c.lineTo(this.x(t), 18);
      c.fill();
    }
    if (this.take.ready < this.take.seconds - 0.01) {
      c.fillStyle = "rgb(128 128 128 / .18)";
      c.fillRect(this.x(this.take.ready), RULER, this.x(this.take.seconds) - this.x(this.take.ready), height);
    }
    this.place();
  }

  /** Puts the playhead where it belongs; the tracks under it stay as they are. */
  place() {
    const head = byId("playhead");
    head.hidden = !this.take;
    head.style.setProperty("height", `${this.height}px`);
    head.style.setProperty("transform", `translateX(${this.x(this.t).toFixed(1)}px)`);
  }

  show(t) {
    if (Math.abs(t - this.t) < 1e-4) return;
    this.t = t;
    this.canvas.setAttribute("aria-valuemax", this.seconds.toFixed(2));
    this.canvas.setAttribute("aria-valuenow", t.toFixed(2));
    this.place();
  }
}
