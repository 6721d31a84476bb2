// Why somebody did what they did.

import { el, short } from "./dom.js";

const TERMS = ["movement", "score", "combination", "recency", "path", "requirement"];
const PRUNED = { penetration: "bodies in each other", facing: "facing elsewhere", range: "out of range", logic: "no answer to what happens" };

export class Explain {
  constructor(connection, state) {
    Object.assign(this, { connection, state, told: null, asked: null, depth: null });
    connection.on("explained", (told) => {
      this.told = told;
      state.refresh();
    });
  }

  /** Asks about a decision. */
  ask({ who, t }) {
    this.asked = { who, t };
    this.told = null;
    this.connection.ask("explain", this.depth ? { who, t, depth: this.depth } : { who, t });
    this.state.refresh();
  }

  /** The decision before or after now, of anybody or of whom was asked about. */
  neighbour(direction) {
    const take = this.state.main.take;
    const from = this.asked?.t ?? this.state.main.t;
    let best = null;
    for (const { name, acts } of take?.people ?? [])
      for (const [t, , , decided] of acts ?? []) {
        if (!decided || direction * (t - from) <= 1e-6) continue;
        if (!best || direction * (t - best.t) < 0) best = { who: name, t };
      }
    return best;
  }

  panel() {
    const step = (direction) => {
      const found = this.neighbour(direction);
      if (found) this.state.decision(found);
    };
    const tools = el("div", { class: "row" },
      el("button", { id: "decision-before", title: "Decision before (,)", onclick: () => step(-1) }, "◂ Before"),
      el("button", { id: "decision-after", title: "Decision after (.)", onclick: () => step(1) }, "After ▸"));
    if (!this.state.scene) return [el("h2", {}, "Decision"), el("p", { class: "dim" }, "A take without a scene has no decisions to explain. Open a scene above.")];
    if (!this.told) {
      const words = this.asked ? `Working out what ${this.asked.who} saw at ${this.asked.t.toFixed(2)} s …` : "Click a decision on the timeline: a thin line at the start of an action.";
      return [el("h2", {}, "Decision"), tools, el("p", { class: "dim" }, words)];
    }
    const { who, t, chosen, controller, options, plausible, pruned, depth, planned, wanted, candidates, left_out, words } = this.told;
    const deeper = planned && el("label", { class: "row" }, el("span", { class: "dim" }, "Tree of depth"), el("select", { id: "explain-depth", onchange: ({ target }) => { this.depth = Number(target.value) || null; this.ask(this.asked); } },
      el("option", { value: "", selected: !this.depth }, `${planned}, as it was planned`), [1, 2, 3, 4, 5, 6].map((n) => el("option", { value: String(n), selected: this.depth === n }, String(n)))));
    const rows = [el("h2", {}, "Decision"), tools, deeper,
      el("p", {}, el("b", { id: "explained-who" }, who), ` at ${t.toFixed(2)} s took `, el("b", {}, chosen ?? "nothing"), el("span", { class: "dim" }, ` (${controller}${depth ? `, tree of depth ${depth}${depth < wanted ? ` of ${wanted} so far` : ""}` : ""})`)),
      el("h2", {}, "What was left out"),
      el("table", { class: "facts" }, el("tr", {}, el("th", {}, "could follow"), el("td", {}, String(options))),
        Object.entries(PRUNED).map(([key, title]) => el("tr", {}, el("th", {}, `− ${title}`), el("td", {}, String(pruned[key])))),
        el("tr", {}, el("th", {}, "plausible"), el("td", {}, String(plausible))))];
    if (left_out?.length) rows.push(el("details", {}, el("summary", { class: "dim" }, `${left_out.length} actions left out`), el("p", { class: "dim" }, left_out.join(", "))));
    if (words) rows.push(el("p", { class: "dim" }, words));
    if (candidates?.length) rows.push(el("h2", {}, "Candidates"), this.table(candidates), el("h2", {}, "Tree"), this.tree(candidates));
    return rows;
  }

  table(candidates) {
    const active = TERMS.filter((term) => candidates.some(({ terms }) => Math.abs(terms[term]) > 1e-9));
    const head = el("tr", {}, el("th", {}, "action"), el("th", { title: "S_comp + S_coop at the end of the line" }, "sum"),
      active.map((term) => el("th", { title: term }, term.slice(0, 4))));
    const rows = candidates.slice(0, 24).map(({ action, scores, terms, taken }) => el("tr", { class: taken ? "taken" : "" }, el("td", {}, action),
      el("td", {}, scores ? short(scores[0] + scores[1]) : "cut"), active.map((term) => el("td", {}, short(terms[term])))));
    return el("table", { class: "candidates", id: "candidates" }, head, rows);
  }

  tree(branches) {
    const item = ({ who, action, scores, taken, next }) => {
      const line = [el("span", { class: "act" }, `${who}: ${action}`), el("span", { class: "sum" }, scores ? short(scores[0] + scores[1]) : "cut")];
      if (!next.length) return el("li", { class: taken ? "taken" : "" }, ...line);
      return el("li", { class: taken ? "taken" : "" }, el("details", { open: taken }, el("summary", {}, ...line), el("ul", {}, next.map(item))));
    };
    return el("ul", { class: "tree", id: "tree" }, branches.slice(0, 8).map(item));
  }
}
