// Drives the studio in Debian's chromium: opens every mode, uses it, and keeps pictures.
//   node studio.mjs RANDORI OUT TOOLS
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [randori, out, tools] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(tools, "node_modules/"))("playwright-core");

const check = (holds, words) => {
  if (!holds) throw new Error(words);
  console.log(`ok: ${words}`);
};

const scene = join(out, "duel.toml");
writeFileSync(scene, `
seconds = 8
seed = 4
library = "builtin:boxing"
[[characters]]
name = "red"
color = "red"
style = "general-boxer"
controller = "gametree:2"
at = [0.0, -1.0]
facing = "blue"
[[characters]]
name = "blue"
color = "blue"
style = "general-boxer"
controller = "gametree:2"
at = [0.0, 1.0]
facing = "red"
`);

const many = join(out, "twenty.toml");
writeFileSync(many, `
seconds = 8
seed = 2
library = "builtin:boxing"
camera = { kind = "whole" }
[formation]
kind = "spiral"
pairs = 10
styles = ["general-boxer-path", "general-boxer-path"]
controllers = ["gametree:1", "gametree:1"]
`);

const server = spawn(randori, ["studio", scene, many, "--port", "0", "--no-open"], { stdio: ["ignore", "ignore", "pipe"] });
const url = await new Promise((found, failed) => {
  let said = "";
  server.stderr.on("data", (data) => {
    said += data;
    const match = said.match(/http:\/\/\S+/);
    if (match) found(match[0]);
  });
  server.on("exit", () => failed(new Error(`the studio ended: ${said}`)));
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync", "--disable-extensions"],
});
const complaints = [];

try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "dark", acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);

  const state = (code) => page.evaluate(`(() => { const { state, play, hero, explain, camera, direct, bodies, wits } = window.studio; return ${code}; })()`);
  // The page's own policy forbids to evaluate words inside of it, so that it is asked from outside.
  const until = async (code, patience = 180_000) => {
    for (const start = Date.now(); Date.now() - start < patience; await page.waitForTimeout(80)) if (await state(code)) return;
    await page.screenshot({ path: join(out, "studio-stuck.png") });
    throw new Error(`waited in vain for ${code}; the studio says ${JSON.stringify(await state("state.errors"))}, the browser ${JSON.stringify(complaints)}`);
  };
  const finished = (after = 0) => until(`state.main.take?.done && state.main.take.version > ${after} && !state.main.take.live`);
  const decisions = () => state("state.main.take.people.map((it) => it.acts.filter((act) => act[3]).map((act) => [act[0], act[1]]))");
  const shoot = async (name) => {
    await page.waitForTimeout(400);
    const shot = await page.screenshot({ path: join(out, `studio-${name}.png`) });
    return shot;
  };
  const notBlank = async (name) => {
    await page.waitForTimeout(300);
    const shot = await page.locator("#viewport").screenshot();
    writeFileSync(join(out, `stage-${name}.png`), shot);
    // An empty stage with its grid compresses well; people do not.
    check(shot.length > 12_000, `the picture of "${name}" is not blank (${shot.length} bytes)`);
  };

  // See.
  await finished();
  check(await state("state.main.take.people.length") === 2, "a scene of two is shown");
  await until("state.main.people.length === 2 && state.drawn > 3");
  await page.keyboard.press("Space");
  await until("!state.clock.runs");
  const from = await state("state.main.t");
  await page.keyboard.press("Space");
  await until(`state.clock.runs && Math.abs(state.main.t - ${from}) > 0.3`);
  check(true, "the clock runs");
  await page.locator("#play").click();
  await until("!state.clock.runs");
  const line = await page.locator("#timeline").boundingBox();
  await page.mouse.move(line.x + line.width * 0.3, line.y + 6);
  await page.mouse.down();
  await page.mouse.move(line.x + line.width * 0.5, line.y + 6, { steps: 4 });
  await page.mouse.up();
  await until("Math.abs(state.main.t - state.clock.t) < 0.02 && state.main.t > 2.5");
  const scrubbed = await state("state.main.t");
  check(scrubbed > 2.5 && scrubbed < 5.5, `scrubbed to ${scrubbed.toFixed(2)} s`);
  await page.keyboard.press("ArrowRight");
  await until(`Math.abs(state.main.t - ${scrubbed} - 1 / 60) < 0.017 && state.main.t > ${scrubbed}`);
  check(true, "stepped by a frame");
  await notBlank("see");
  await shoot("see-dark");
  await page.keyboard.press("b");
  await notBlank("bones");
  await page.keyboard.press("b");
  await page.keyboard.press("t");
  await shoot("see-light");

  // Direct.
  await page.keyboard.press("2");
  await page.locator("#weight-distance").waitFor();
  await page.keyboard.press("Home");
  for (let k = 0; k < 5; k++) await page.keyboard.press("Shift+ArrowRight");
  await until("Math.abs(state.main.t - 2.5) < 0.02");
  const first = await decisions();
  const version = await state("state.main.take.version");
  await page.locator("#weight-distance").focus();
  await page.keyboard.press("End");
  await finished(version);
  const second = await decisions();
  const early = (list) => JSON.stringify(list.map((acts) => acts.filter(([t]) => t < 2.5)));
  check(early(first) === early(second), "what was decided before the slider moved stays");
  check(JSON.stringify(first) !== JSON.stringify(second), "a slider changes later decisions");
  await shoot("direct-light");
  await page.keyboard.press("Escape");
  await page.locator("#stage").focus();
  // A start place is dragged on the floor.
  const place = await state(`(() => {
    const [x, z] = state.scene.people[0].at, m = camera.matrix, box = document.getElementById("stage").getBoundingClientRect();
    const at = (row) => m[row] * x + m[8 + row] * z + m[12 + row];
    return [box.left + (at(0) / at(3) + 1) / 2 * box.width, box.top + (1 - at(1) / at(3)) / 2 * box.height];
  })()`);
  const moved = await state("state.main.take.version");
  await page.mouse.move(...place);
  await page.mouse.down();
  await page.mouse.move(place[0] - 60, place[1] + 25, { steps: 5 });
  await page.mouse.up();
  await until("JSON.stringify(state.scene.people[0].at) !== '[0,-1]'");
  await finished(moved);
  check(true, `a start place was dragged to ${JSON.stringify(await state("state.scene.people[0].at"))}`);
  await page.locator("#add-checkpoint").click();
  await until("state.scene.people[0].paths.at(-1).points.length === 1");
  await finished(moved + 1);
  await page.locator("#pin").click();
  await until("state.pinned.take");
  await notBlank("side-by-side");
  await shoot("side-by-side");
  await page.locator("#pin").click();
  await until("!state.pinned.take");

  // Saved, and run by the command.
  const fetched = async (press, name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(press).click()]);
    const path = join(out, name);
    await download.saveAs(path);
    return path;
  };
  const saved = await fetched("#save", "saved.toml");
  const exported = await fetched("#export-glb", "studio.glb");
  const ran = spawnSync(randori, ["run", saved, "-o", join(out, "command.glb"), "--quiet"], { encoding: "utf8" });
  check(ran.status === 0, `the command plays the saved scene ${ran.stderr}`);
  const same = readFileSync(exported).equals(readFileSync(join(out, "command.glb")));
  check(same, "with the same result, byte for byte");

  // Explain.
  await page.keyboard.press("3");
  await page.keyboard.press(".");
  await page.locator("#candidates").waitFor();
  const chosen = await state("explain.told.chosen");
  check(await state("explain.told.candidates[0].taken && explain.told.candidates.some((it) => it.next.length)"), `a decision is explained: ${chosen}`);
  await page.locator("#explain-depth").selectOption("5");
  await until("explain.told?.depth === 5", 120_000);
  const deep = await state("(function depth(list) { return list.length ? 1 + Math.max(...list.map(({ next }) => depth(next))) : 0; })(explain.told.candidates)");
  check(deep === 5, `the tree behind it is ${deep} deep`);
  await page.keyboard.press("t");
  await shoot("explain-dark");

  // Play.
  await page.keyboard.press("4");
  await page.locator("#bout-start").click();
  await until("play.score && state.main.take?.live && state.main.people.length === 2");
  await page.waitForTimeout(700);
  for (let k = 0; k < 40; k++) {
    const key = ["KeyJ", "KeyW", "KeyK", "KeyI"][k % 4];
    await page.keyboard.down(key);
    await page.waitForTimeout(60);
    if (k === 0) await until("play.score.doing[0][1] === 'attack'");
    await page.keyboard.up(key);
    await page.waitForTimeout(350);
  }
  check(true, "a key press leads to a punch");
  await notBlank("play");
  await shoot("play-dark");
  const latencies = (await state("play.latencies")).sort((a, b) => a - b);
  const share = (p) => latencies[Math.floor((latencies.length - 1) * p)]?.toFixed(0);
  console.log(`key press to another action, seen by the page: median ${share(0.5)} ms, 95th percentile ${share(0.95)} ms of ${latencies.length}`);
  await page.locator("#bout-depth").focus();
  await page.keyboard.press("End");
  await page.locator("#bout-style").selectOption("infighter");
  await until("play.score.rival.depth === 5 && play.score.rival.style === 'infighter'");
  check(true, "the rival changes while it goes on");
  await page.locator("#bout-stop").click();

  // The hero of a crowd: asked for something while it goes on; what was seen stays. Patches are made on first use.
  await page.locator("#hero-start").click();
  await until("hero.running && state.main.take?.name === 'hero' && state.clock.runs && state.main.t > 2", 600_000);
  const acts = (until_) => state(`JSON.stringify(state.main.take.people.map((it) => [it.name, it.acts.filter(([t]) => t < ${until_})]).filter(([, acts]) => acts.length))`);
  const unasked = await state("state.main.take.version");
  const seenSoFar = await state("state.main.t");
  const actsBefore = await acts(seenSoFar);
  await page.locator("#stage").focus();
  await page.keyboard.press("j");
  await until(`state.main.take.version > ${unasked} && state.scene.patches.commands.length === 1`, 60_000);
  const command = await state("state.scene.patches.commands[0]");
  check(command.actions[0] === "punch" && command.at >= seenSoFar, `a hero is asked to punch ${(command.at - seenSoFar).toFixed(2)} s ahead of what was seen`);
  check(actsBefore === await acts(seenSoFar), "what was seen before the command stays");
  await page.keyboard.press("d");
  await until("state.scene.patches.commands.length === 2 && state.scene.patches.commands[1].direction !== null", 60_000);
  check(true, "a hero is sent somewhere");
  await until(`state.main.t > ${command.at + 3}`, 60_000);
  await notBlank("hero");
  await shoot("hero-dark");
  await page.keyboard.press("o");

  // Bodies: a hand follows a target that is dragged.
  await page.keyboard.press("Escape");
  await page.locator("#tab-bodies").click();
  await page.locator("#scenario").selectOption("king");
  await until("bodies.told && bodies.points().length && state.main.people.length >= 1 && state.main.take?.live");
  await page.waitForTimeout(1500);
  await notBlank("bodies");
  const hand = await state("bodies.points()[0].name");
  const nearest = `(() => { const target = bodies.points()[0].value; let best = 9;
    for (const { root, ends, n } of state.main.people) for (let k = 0; k < n; k++)
      best = Math.min(best, Math.hypot(...[0, 1, 2].map((axis) => root[axis] + ends[6 * k + 3 + axis] / 1000 - target[axis])));
    return best; })()`;
  const spot = await state(`(() => { const p = bodies.points()[0].value, m = camera.matrix, box = document.getElementById("stage").getBoundingClientRect();
    const at = (row) => m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
    return [box.left + (at(0) / at(3) + 1) / 2 * box.width, box.top + (1 - at(1) / at(3)) / 2 * box.height]; })()`);
  const wasAt = await state("JSON.stringify(bodies.points()[0].value)");
  await page.mouse.move(...spot);
  await page.mouse.down();
  await page.mouse.move(spot[0] + 24, spot[1] - 24, { steps: 8 });
  await page.mouse.up();
  await until(`JSON.stringify(bodies.points()[0].value) !== ${JSON.stringify(wasAt)} && !bodies.points()[0].scripted`);
  await until(`${nearest} < 0.12`);
  check(true, `a hand follows the dragged target "${hand}" (${(100 * await state(nearest)).toFixed(0)} cm off)`);
  await shoot("bodies-dark");
  await page.locator("#tab-see").click();
  await finished();

  // Wits: what both might do, and where it pays to be unpredictable. Values are learned on first use.
  await page.keyboard.press("Escape");
  await page.locator("#tab-wits").click();
  await page.locator("#wits-start").click();
  await until("state.main.take?.name === 'tag' && state.main.take.done && wits.map", 900_000);
  check(await state("state.main.take.people.every(({ plans }) => plans.length > 20)"), "both say what they might have done at every decision");
  const mixed = await state("state.main.take.people.flatMap(({ plans }) => plans).filter(([, , , , all]) => all.length > 1).length");
  check(mixed > 0, `${mixed} decisions were drawn from several`);
  check(await state("Math.max(...wits.map.spread) > 0"), "the map is there");
  const bare = await state("(wits.marks(state.main.compose(state)), state.main.scene.rings.length)");
  check(bare > 10, `${bare} marks lie on the floor`);
  await notBlank("wits");
  await shoot("wits-dark");
  await page.locator("#tab-see").click();

  // A file dropped in, and a wide screen.
  await page.locator("#choose").setInputFiles(join(out, "command.glb"));
  await until("state.main.take?.name.startsWith('command') && state.main.people.length === 2");
  check(true, "a file is dropped in");
  await page.setViewportSize({ width: 2560, height: 1080 });
  await notBlank("wide");
  await shoot("wide-dark");

  // Twenty people on a stage of 960 × 540.
  await page.setViewportSize({ width: 1286, height: 900 });
  await page.locator("#scenes").selectOption("scene:twenty.toml");
  await finished();
  await until("state.main.people.length === 20");
  const [wide, high] = await state("(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])(document.getElementById('stage'))");
  await page.setViewportSize({ width: 1286 + 960 - wide, height: 900 + 540 - high });
  await shoot("twenty");
  const before = await state("state.drawn");
  await page.waitForTimeout(4000);
  const size = await state("(({ width, height }) => `${width}×${height}`)(document.getElementById('stage'))");
  console.log(`${await state("state.main.people.length")} people at ${size}: ${(((await state("state.drawn")) - before) / 4).toFixed(1)} pictures a second, drawn by software`);

  // The area of the floor that a scene fills, before anybody is in it; last, because it goes on for a while.
  await page.locator("#scenes").selectOption("scene:patches-dominoes-commands");
  await until("state.floor?.strips.length > 5", 600_000);
  check(true, "the area of the floor is shown");
  await shoot("floor-dark");

  check((await state("state.errors")).length === 0, `no complaint of the studio ${JSON.stringify(await state("state.errors"))}`);
  check(complaints.length === 0, `no complaint of the browser ${JSON.stringify(complaints)}`);
} finally {
  await browser.close();
  server.kill();
}
