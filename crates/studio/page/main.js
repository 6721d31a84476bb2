// The page: puts everything together, and draws.

import { Bodies } from "./bodies.js";
import { Camera } from "./camera.js";
import { Connection } from "./connection.js";
import { Direct } from "./direct.js";
import { byId, css, el, short } from "./dom.js";
import { Explain } from "./explain.js";
import { Hero } from "./hero.js";
import { projected } from "./matrices.js";
import { Play } from "./play.js";
import { Renderer } from "./renderer.js";
import { Picture } from "./stage.js";
import { Timeline } from "./timeline.js";
import { Transport } from "./transport.js";
import { Wits } from "./wits.js";

/** Modes in which something happens now, without a timeline. */
const LIVE = ["play", "bodies"];

const connection = new Connection();
const state = {
  mode: "see", clock: { t: 0, runs: false, rate: 1, loops: true }, main: new Picture(), pinned: new Picture(), scene: null,
  styles: [], report: null, bones: false, trails: true, names: true, theme: "dark", opened: null, drawn: 0, errors: [],
  floor: null, opening: false, refresh: () => panel(), decision: (decision) => explainAt(decision), lead: () => lead(),
};
const renderer = new Renderer(byId("stage"));
const camera = new Camera();
const transport = new Transport(connection, state);
const direct = new Direct(connection, state);
const explain = new Explain(connection, state);
const play = new Play(connection, state);
const hero = new Hero(connection, state, camera);
const bodies = new Bodies(connection, state);
const wits = new Wits(connection, state);
const timeline = new Timeline({
  seek: (t) => transport.seek(Math.min(t, transport.end)),
  decision: (decision) => (state.mode === "explain" ? explainAt(decision) : transport.seek(decision.t)),
});
window.studio = { state, camera, connection, play, hero, explain, direct, bodies, wits };

// What the studio tells.

connection.on("welcome", ({ scenes, files, styles }) => {
  state.styles = styles;
  const option = (kind) => (name) => el("option", { value: `${kind}:${name}` }, name);
  byId("scenes").replaceChildren(el("option", { value: "", disabled: true, selected: true }, "Open …"),
    files.length ? el("optgroup", { label: "Files" }, files.map(option("file"))) : "", el("optgroup", { label: "Scenes" }, scenes.map(option("scene"))));
  if (!state.opened && !files.length && !state.main.take) setTimeout(() => {
    // Nothing was named: something to look at.
    if (!state.main.take && !state.scene && !state.busy) open("scene:boxing-general");
  }, 150);
});
connection.on("take", (take) => {
  const picture = take.picture === 1 ? state.pinned : state.main;
  if (take.none) {
    state.pinned = new Picture();
    return panel();
  }
  picture.tell(take);
  if (take.live) hero.stop();
  if (take.picture === 1) return panel();
  state.opening = false;
  timeline.tell(take);
  if (!play.running || !take.live) byId("scenes").value = state.opened ?? "";
  if (!LIVE.includes(state.mode) && !editing()) panel();
});
connection.on("scene", (scene) => {
  state.scene = scene.people ? scene : null;
  if (!state.scene) state.floor = null;
  timeline.scene = state.scene;
  camera.story = state.scene?.camera ?? "follow";
  const values = [...byId("scenes").options].map(({ value }) => value);
  state.opened ??= values.find((value) => [`scene:${scene.name}`, `scene:${scene.name}.toml`].includes(value)) ?? null;
  if (!editing()) panel();
});
connection.on("floor", ({ area }) => (state.floor = area));
connection.on("status", ({ words, report }) => {
  state.busy = Boolean(words);
  const status = byId("status");
  status.textContent = words;
  status.classList.toggle("busy", Boolean(words));
  if (report) {
    state.report = report;
    if (state.mode === "see" || hero.running) panel();
  }
});
connection.on("error", ({ words }) => {
  state.opening = false;
  toast(words);
});
connection.on("closed", () => toast("The studio is gone. Reload the page when it is back."));
connection.on("download", ({ name, url }) => {
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
});
connection.on("frame", (buffer) => {
  const side = new DataView(buffer).getUint8(1);
  const picture = side === 1 ? state.pinned : state.main;
  if (picture.read(buffer) && picture.isNew) {
    picture.isNew = false;
    if (side === 0) camera.face(picture.roots());
  }
});

// What people do.

function open(value) {
  state.opened = value;
  const [kind, ...name] = value.split(":");
  stopAll();
  state.opening = true;
  if (kind === "file") connection.ask("open-file", { file: name.join(":") });
  else connection.ask("open", { scene: name.join(":") });
  if (LIVE.includes(state.mode)) mode("see");
}

function stopAll() {
  play.stop();
  hero.stop();
  bodies.stop();
}

/** Opens a scene with a hero who is steered. */
function lead() {
  play.stop();
  state.opened = null;
  hero.start();
  panel();
}

function mode(name) {
  if (state.mode === name) return;
  const before = state.mode;
  state.mode = name;
  document.body.dataset.mode = name;
  timeline.picks = name === "explain";
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const chosen = tab.dataset.mode === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen) byId("panel").setAttribute("aria-labelledby", tab.id);
  }
  if (LIVE.includes(before)) {
    const played = play.running || bodies.running || state.main.take?.live;
    stopAll();
    if (played && !LIVE.includes(name)) open(state.opened ?? "scene:boxing-general");
  }
  if (name === "direct" || name === "explain") connection.ask("play", { on: false });
  panel();
  timeline.layout();
}

function explainAt(decision) {
  mode("explain");
  timeline.selected = decision;
  transport.seek(decision.t);
  explain.ask(decision);
  timeline.draw();
}

function editing() {
  const active = document.activeElement;
  return byId("panel").contains(active) && active.matches("input[type=text], input[type=number]");
}

function panel() {
  const box = byId("panel");
  const focused = box.contains(document.activeElement) ? document.activeElement.id : null;
  const top = box.scrollTop;
  const rows = { see: seePanel, direct: () => direct.panel(), explain: () => explain.panel(), play: () => [...play.panel(), ...hero.panel()], bodies: () => bodies.panel(), wits: () => wits.panel() }[state.mode]();
  box.replaceChildren(...rows.filter(Boolean));
  box.scrollTop = top;
  if (focused) byId(focused)?.focus({ preventScroll: true });
}

function seePanel() {
  const take = state.main.take;
  if (!take) return [el("h2", {}, "Stage"), el("p", { class: "dim" }, "Open a scene above, or drop a .glb or .bvh file here.")];
  const rows = [el("h2", {}, "Take"), el("p", {}, el("b", {}, take.name), el("span", { class: "dim" }, ` · ${take.seconds.toFixed(1)} s · ${take.people.length} people${take.things.length ? `, ${take.things.length} things` : ""}`))];
  const report = state.report?.name === take.name || state.scene ? state.report : null;
  const of = (name) => report?.characters?.find((it) => it.name === name);
  const cells = take.people.slice(0, 16).map((person) => {
    const hits = take.marks.filter(({ kind, who }) => kind === "hit" && who === person.name);
    const damage = hits.reduce((sum, { damage }) => sum + (damage ?? 0), 0);
    return el("tr", {}, el("th", {}, el("span", { class: "chip", style: { background: css(person.color) } }), person.name), el("td", {}, String(hits.length)), el("td", {}, short(damage)),
      el("td", {}, of(person.name) ? short(of(person.name).mean_distance) : "–"));
  });
  rows.push(el("table", { class: "facts" }, el("tr", {}, el("th", {}, "who"), el("td", { class: "dim" }, "hits"), el("td", { class: "dim" }, "damage"), el("td", { class: "dim", title: "mean distance" }, "m apart")), cells));
  if (take.people.length > 16) rows.push(el("p", { class: "dim" }, `… and ${take.people.length - 16} more`));
  rows.push(el("h2", {}, "Linter"));
  if (!take.done) rows.push(el("p", { class: "dim" }, "when the take is finished"));
  else if (!take.findings.length) rows.push(el("p", { class: "dim" }, "Nothing to complain about."));
  else rows.push(el("ul", { class: "findings", id: "findings" }, take.findings.slice(0, 30).map((it) => el("li", {}, el("button", { onclick: () => transport.seek(it.from), title: `limit ${short(it.limit)} ${it.unit}` },
    `${it.from.toFixed(2)} s · ${it.who}: ${it.kind.replaceAll("_", " ")} ${short(it.value)} ${it.unit}`)))));
  rows.push(el("h2", {}, "Blows"), el("ul", { class: "findings" }, take.marks.filter(({ kind }) => kind === "hit").slice(0, 40).map((it) => el("li", {}, el("button", { onclick: () => transport.seek(it.t) },
    `${it.t.toFixed(2)} s · ${it.who} → ${it.whom}${it.bone ? ` (${it.bone})` : ""}${it.damage ? ` ${short(it.damage)}` : ""}`)))));
  rows.push(el("h2", {}, "Files"), el("p", { class: "dim" }, "Drop a .glb or .bvh file anywhere to look at it."),
    el("div", { class: "row" }, el("label", { class: "row" }, el("span", { class: "dim" }, "or choose"), el("input", { type: "file", id: "choose", accept: ".glb,.bvh,.gltf", onchange: ({ target }) => target.files[0] && drop(target.files[0]) }))));
  return rows;
}

function toast(words) {
  const box = byId("toast");
  state.errors.push(words);
  box.textContent = words;
  box.classList.add("on");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("on"), 4500);
}

function theme(name) {
  state.theme = name;
  document.documentElement.dataset.theme = name;
  renderer.theme(name);
  timeline.draw();
}

function toggle(key) {
  state[key] = !state[key];
  byId(key === "bones" ? "look" : key).setAttribute("aria-pressed", String(state[key]));
}

function chooseCamera(kind) {
  camera.kind = kind;
  byId("camera").value = kind;
}

async function drop(file) {
  try {
    stopAll();
    if (LIVE.includes(state.mode)) mode("see");
    state.opened = null;
    state.scene = null;
    await connection.drop(file);
  } catch (error) {
    toast(error.message);
  }
}

byId("scenes").addEventListener("change", ({ target }) => open(target.value));
byId("theme").addEventListener("click", () => theme(state.theme === "dark" ? "light" : "dark"));
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("look").addEventListener("click", () => toggle("bones"));
byId("trails").addEventListener("click", () => toggle("trails"));
byId("names").addEventListener("click", () => toggle("names"));
byId("camera").addEventListener("change", ({ target }) => chooseCamera(target.value));
byId("modes").addEventListener("click", ({ target }) => target.dataset.mode && mode(target.dataset.mode));
byId("modes").addEventListener("keydown", (event) => {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const at = tabs.findIndex((tab) => tab.dataset.mode === state.mode);
  const next = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  const tab = tabs[(at + next + tabs.length) % tabs.length];
  mode(tab.dataset.mode);
  tab.focus();
});

const KEYS = {
  " ": () => transport.toggle(), ArrowLeft: (e) => transport.step(e.shiftKey ? -0.5 : -1 / 60), ArrowRight: (e) => transport.step(e.shiftKey ? 0.5 : 1 / 60),
  Home: () => transport.seek(0), End: () => transport.seek(transport.end), l: () => byId("loop").click(),
  1: () => mode("see"), 2: () => mode("direct"), 3: () => mode("explain"), 4: () => mode("play"), 5: () => mode("bodies"), 6: () => mode("wits"),
  c: () => chooseCamera({ follow: "free", free: "story", story: "follow" }[camera.kind]), b: () => toggle("bones"), r: () => toggle("trails"), n: () => toggle("names"),
  t: () => byId("theme").click(), "?": () => byId("help").showModal(), "+": () => camera.nearer(0.9), "-": () => camera.nearer(1.1),
  ",": () => step(-1), ".": () => step(1),
};
function step(direction) {
  const found = explain.neighbour(direction);
  if (found) explainAt(found);
}
addEventListener("keydown", (event) => {
  const target = event.target;
  if (byId("help").open || target.matches?.("input, select, textarea")) return;
  if (state.mode === "play" && play.running && play.keyboard(event, true)) return event.preventDefault();
  if (state.mode === "play" && hero.running && hero.keyboard(event)) return event.preventDefault();
  if (event.ctrlKey || event.metaKey) return;
  if (event.altKey) {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[event.key];
    if (turn) { event.preventDefault(); camera.turn(...turn); }
    return;
  }
  const does = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!does || (event.key === " " && target.matches?.("button, summary"))) return;
  event.preventDefault();
  does(event);
});
addEventListener("keyup", (event) => {
  if (state.mode === "play") play.keyboard(event, false);
});
addEventListener("blur", () => [...play.down].forEach((key) => play.press(key, false)));

// Looking around, and dragging what lies on the floor.

const canvas = byId("stage");
let held = null;
const inPicture = (event) => {
  const box = canvas.getBoundingClientRect();
  const width = state.pinned.take ? box.width / 2 : box.width;
  const x = (event.clientX - box.left) % width;
  return [(2 * x) / width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
};
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  if (state.mode === "direct" && event.button === 0) {
    if (event.altKey && direct.person?.changeable) {
      const at = camera.floorAt(...inPicture(event));
      if (at) direct.add(direct.person, at.map((n) => Math.round(n * 20) / 20));
      return;
    }
    if (direct.grab(...inPicture(event), camera)) return (held = "handle");
  }
  if (state.mode === "bodies" && event.button === 0 && bodies.grab(...inPicture(event), camera)) return (held = "target");
  held = event.button === 0 && !event.shiftKey ? "turn" : "shift";
});
canvas.addEventListener("pointermove", (event) => {
  if (held === "handle") direct.drag(...inPicture(event), camera);
  else if (held === "target") bodies.drag(...inPicture(event), camera);
  else if (held === "turn") camera.turn(event.movementX * 0.007, event.movementY * 0.006);
  else if (held === "shift") {
    if (camera.kind !== "free") chooseCamera("free");
    camera.shift(event.movementX / canvas.clientHeight, event.movementY / canvas.clientHeight);
  }
});
const letGo = () => {
  if (held === "handle") direct.release();
  if (held === "target") bodies.release();
  held = null;
};
canvas.addEventListener("pointerup", letGo);
canvas.addEventListener("pointercancel", letGo);
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  camera.nearer(Math.exp(event.deltaY * 0.001));
}, { passive: false });
const dropBox = byId("drop");
addEventListener("dragover", (event) => {
  event.preventDefault();
  dropBox.hidden = false;
});
addEventListener("dragleave", (event) => event.relatedTarget === null && (dropBox.hidden = true));
addEventListener("drop", (event) => {
  event.preventDefault();
  dropBox.hidden = true;
  if (event.dataTransfer.files[0]) drop(event.dataTransfer.files[0]);
});

// Drawing.

let shownAt = -1;
let drawnAs = "";
let drawnAt = performance.now();
/** All that the picture depends on, but for what is dragged in it. */
const looks = ({ main, pinned }) => [main.frames, pinned.frames, pinned.take?.version, camera.eye, camera.target, canvas.width, canvas.height, state.mode, state.theme, state.bones,
  state.trails, state.names, main.take?.version, state.floor?.strips.length, state.opening].join();

function draw() {
  requestAnimationFrame(draw);
  play.gamepads();
  const { main, pinned } = state;
  renderer.fit();
  const two = Boolean(pinned.take);
  const [width, height] = [canvas.width, canvas.height];
  camera.aspect = (two ? width / 2 : width) / height;
  const now = performance.now();
  camera.follow(main.roots(), main.whole.filter(Boolean), (now - drawnAt) / 1000);
  drawnAt = now;
  const as = looks(state);
  // A picture that is there already costs nothing; what is dragged moves without anybody being told.
  if (as === drawnAs && !held && !["direct", "bodies", "wits"].includes(state.mode)) return;
  drawnAs = as;
  renderer.clear();
  const pictures = two ? [[pinned, [0, 0, width / 2, height]], [main, [width / 2, 0, width / 2, height]]] : [[main, [0, 0, width, height]]];
  for (const [picture, box] of pictures) {
    const scene = picture.compose(state);
    scene.floor = state.floor;
    if (picture === main && isBare()) Object.assign(scene, { n: 0, things: [], ribbons: [], arrows: [], stars: [], rings: [] });
    if (picture === main && !main.take?.live) direct.marks(scene, state.theme);
    if (picture === main && state.mode === "bodies") bodies.marks(scene);
    if (picture === main && state.mode === "wits") wits.marks(scene);
    renderer.draw(scene, camera, box.map(Math.round));
  }
  labels(two);
  state.drawn++;
  if (main.t !== shownAt) {
    shownAt = main.t;
    timeline.show(main.t);
    if (state.mode === "wits") wits.show();
    transport.show(main.t);
  }
}

/** On the floor of a scene that was just opened nobody is yet. */
const isBare = () => state.opening && Boolean(state.floor);

function labels(two) {
  const box = byId("labels");
  const people = state.names && !isBare() && state.main.people.length <= 12 ? state.main.people : [];
  while (box.children.length < people.length) box.append(el("span", {}));
  while (box.children.length > people.length) box.lastChild.remove();
  people.forEach(({ root, person }, k) => {
    const label = box.children[k];
    const [x, y, w] = projected(camera.matrix, [root[0], root[1] + 1.0, root[2]]);
    const [left, width] = two ? [canvas.clientWidth / 2, canvas.clientWidth / 2] : [0, canvas.clientWidth];
    const px = left + ((x + 1) / 2) * width;
    const shown = w > 0 && Math.abs(x) < 1 && Math.abs(y) < 1;
    label.style.setProperty("visibility", shown ? "visible" : "hidden");
    label.style.setProperty("transform", `translate(${px.toFixed(1)}px, ${(((1 - y) / 2) * canvas.clientHeight).toFixed(1)}px) translate(-50%, -100%)`);
    if (label.textContent !== person.name) label.textContent = person.name;
  });
}

theme(matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
document.body.dataset.mode = "see";
panel();
draw();
