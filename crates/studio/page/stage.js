// What is on the stage: takes as they are told, frames as they come, and what a renderer makes of them.

import { PIECE } from "./renderer.js";

const TRAIL = 26;
const linear = (c) => Math.pow(c, 2.2);

/** One picture: a take and its latest frame. */
export class Picture {
  constructor() {
    this.take = null;
    this.t = 0;
    this.people = [];
    this.scene = { pieces: new Float32Array(PIECE * 64), n: 0, things: [], rings: [], ribbons: [], arrows: [], stars: [] };
    this.trails = new Map();
    this.whole = [];
    this.frames = 0;
  }

  tell(take) {
    const same = this.take && this.take.name === take.name && this.take.people?.length === take.people.length;
    this.take = take;
    if (!same) {
      this.trails.clear();
      this.whole = [];
      this.isNew = true;
    }
  }

  /** Takes in a frame; see frames.rs for its layout. */
  read(buffer) {
    if (!this.take) return false;
    const view = new DataView(buffer);
    if (view.getUint8(0) !== 1) return false;
    const version = view.getUint32(8, true);
    const t = view.getFloat32(4, true);
    const [people, things, arrows] = [view.getUint16(2, true), view.getUint16(12, true), view.getUint16(14, true)];
    // A frame of a take that is not told yet is for later, if it does not fit.
    const jumped = t < this.t || t - this.t > 0.3;
    if (jumped) this.trails.clear();
    let at = 16;
    const found = [];
    for (let k = 0; k < people; k++) {
      const place = view.getUint16(at, true);
      const n = view.getUint16(at + 2, true);
      const root = [view.getFloat32(at + 4, true), view.getFloat32(at + 8, true), view.getFloat32(at + 12, true)];
      const ends = new Int16Array(buffer, at + 16, 6 * n);
      const person = this.take.people[place];
      if (!person || person.pieces.length !== n) return false;
      found.push({ place, root, ends, n, person });
      at += 16 + 12 * n;
    }
    this.people = found;
    this.things = [];
    for (let k = 0; k < things; k++) {
      const numbers = new Float32Array(buffer, at + 4, 7);
      this.things.push({ place: view.getUint16(at, true), joint: view.getUint16(at + 2, true), at: [...numbers.subarray(0, 3)], rotation: [...numbers.subarray(3)] });
      at += 32;
    }
    this.arrows = [];
    for (let k = 0; k < arrows; k++) {
      const numbers = new Float32Array(buffer, at, 6);
      this.arrows.push({ point: [...numbers.subarray(0, 3)], force: [...numbers.subarray(3)] });
      at += 24;
    }
    this.t = t;
    this.version = version;
    this.frames++;
    for (const { root, place } of found) this.whole[place + found.length * (Math.floor(t * 2) % 64)] = root;
    this.leaveTrails();
    return true;
  }

  leaveTrails() {
    for (const { place, root, ends, person } of this.people)
      for (const piece of person.trails ?? []) {
        const key = `${place}:${piece}`;
        const points = this.trails.get(key) ?? [];
        points.push([0, 1, 2].map((k) => root[k] + ends[6 * piece + 3 + k] / 1000));
        if (points.length > TRAIL) points.shift();
        this.trails.set(key, points);
      }
  }

  roots() {
    return this.people.map(({ root }) => root);
  }

  /** The scene for the renderer. */
  compose({ bones, trails, theme }) {
    const scene = this.scene;
    const n = this.people.reduce((sum, { n }) => sum + n, 0);
    if (scene.pieces.length < n * PIECE) scene.pieces = new Float32Array(2 * n * PIECE);
    let at = 0;
    for (const { root, ends, n, person } of this.people) {
      const [r, g, b] = person.color;
      for (let k = 0; k < n; k++) {
        const [ra, rb, tint] = person.pieces[k];
        const out = scene.pieces;
        for (let axis = 0; axis < 3; axis++) {
          out[at + axis] = root[axis] + ends[6 * k + axis] / 1000;
          out[at + 3 + axis] = root[axis] + ends[6 * k + 3 + axis] / 1000;
        }
        out[at + 6] = bones ? Math.min(ra, 0.018) : ra;
        out[at + 7] = bones ? Math.min(rb, 0.018) : rb;
        const paint = painted(r, g, b, tint, theme);
        out[at + 8] = paint[0]; out[at + 9] = paint[1]; out[at + 10] = paint[2]; out[at + 11] = tint === 3 ? 1 : 0.08;
        at += PIECE;
      }
    }
    scene.n = n;
    scene.things = this.composeThings();
    scene.ribbons = [];
    scene.arrows = [];
    scene.stars = [];
    scene.rings = [];
    if (trails)
      for (const [key, points] of this.trails) {
        const color = this.take.people[Number(key.split(":")[0])]?.color ?? [1, 1, 1];
        const pale = color.map((c) => 0.35 + 0.65 * Math.sqrt(c));
        scene.ribbons.push({ points, width: 0.035, color: [...pale, 0.6] });
      }
    for (const { point, force } of this.arrows ?? []) {
      // A kilonewton is a metre long; heads are a narrowing of their own.
      const along = (share) => point.map((p, k) => p + (share * force[k]) / 1000);
      const size = Math.hypot(...force) / 1000;
      if (size < 0.01) continue;
      const neck = Math.max(0, 1 - 0.09 / size);
      const color = [0.95, 0.5, 0.04, 0.9];
      scene.arrows.push({ points: [point, along(neck)], width: 0.02, color, even: true });
      for (let k = 0; k < 5; k++) scene.arrows.push({ points: [along(neck + ((1 - neck) * k) / 5), along(neck + ((1 - neck) * (k + 1)) / 5)], width: 0.075 * (1 - k / 5), color, even: true });
    }
    for (const mark of this.take?.marks ?? []) {
      const age = this.t - mark.t;
      if (age < -0.001 || age > 0.45 || !mark.point) continue;
      const hit = mark.kind === "hit";
      const alpha = 1 - age / 0.45;
      scene.stars.push({ at: mark.point, size: (hit ? 0.34 : 0.2) * (0.7 + age), color: hit ? [1, 0.86, 0.35, alpha] : [0.6, 0.8, 1, 0.8 * alpha] });
    }
    return scene;
  }

  composeThings() {
    const list = [];
    for (const { place, joint, at, rotation } of this.things ?? []) {
      const thing = this.take.things[place];
      if (!thing) continue;
      for (const piece of thing.pieces) {
        if (piece.joint !== joint) continue;
        const off = turned(rotation, piece.center);
        const middle = at.map((p, k) => p + off[k]);
        const turn = combined(rotation, piece.rotation);
        list.push({ shape: piece.shape, rotation: turn, place: middle, size: piece.size, color: thing.color });
      }
    }
    // Balls and capsules are drawn as people are.
    const solid = [];
    for (const thing of list) {
      if (thing.shape === "box" || thing.shape === "cylinder") solid.push(thing);
      else this.addPiece(thing);
    }
    return solid;
  }

  addPiece({ shape, rotation, place, size, color }) {
    const scene = this.scene;
    if (scene.pieces.length < (scene.n + 1) * PIECE) {
      const larger = new Float32Array(2 * scene.pieces.length);
      larger.set(scene.pieces);
      scene.pieces = larger;
    }
    const half = shape === "capsule" ? turned(rotation, [0, size[1], 0]) : [0, 0, 0];
    scene.pieces.set([...place.map((p, k) => p - half[k]), ...place.map((p, k) => p + half[k]), size[0], size[0], ...color, 0.1], scene.n * PIECE);
    scene.n++;
  }
}

function painted(r, g, b, tint, theme) {
  if (tint === 1) {
    const skin = [0.78, 0.66, 0.56].map(linear);
    return [0.82 * skin[0] + 0.18 * r, 0.82 * skin[1] + 0.18 * g, 0.82 * skin[2] + 0.18 * b];
  }
  if (tint === 2) return [0.25 * r + 0.012, 0.25 * g + 0.012, 0.25 * b + 0.014];
  if (tint === 3) return theme === "dark" ? [0.55, 0.58, 0.63] : [0.4, 0.43, 0.48];
  return [r, g, b];
}

function turned([x, y, z, w], v) {
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}

function combined([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
}
