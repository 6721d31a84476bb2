// Where the stage is seen from: free, moving along with people, or as the story says.

import { dot, lookAt, minus, perspective, plus, scaled, times, unit, cross } from "./matrices.js";

const FOV = 0.7;
/** Room around whoever is nearest to an edge of the picture (m), and what is seen above and below of people at least. */
const ROOM = 0.9;
const HEIGHT = 1.5;
/** How fast the picture comes after those in it (1/s): by the clock, so that slow machines do not lose runners. */
const AFTER = 8;

export class Camera {
  constructor() {
    Object.assign(this, { kind: "follow", heading: 1.57, pitch: 0.2, distance: 5, target: [0, 0.95, 0], zoom: 1, story: "follow" });
    this.aspect = 1.6;
    this.update();
  }

  /** Looks across the line between two people. */
  face(people) {
    if (people.length < 2) return;
    const [a, b] = people;
    const line = Math.atan2(b[0] - a[0], b[2] - a[2]);
    this.heading = line + Math.PI / 2;
    Object.assign(this, { zoom: 1, pitch: people.length > 6 ? 0.5 : 0.2 });
    this.jump = true;
  }

  /** Keeps people in the picture, or what the whole take needs, when so much time has gone by (s). */
  follow(people, whole, seconds) {
    if (this.kind === "free" || !people.length) return this.update();
    const kind = this.kind === "story" ? this.story : "follow";
    const span = kind === "whole" || kind === "fixed" ? (whole ?? people) : people;
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    for (const p of span) {
      low[0] = Math.min(low[0], p[0]); high[0] = Math.max(high[0], p[0]);
      low[1] = Math.min(low[1], p[2]); high[1] = Math.max(high[1], p[2]);
    }
    const middle = [(low[0] + high[0]) / 2, 0.95, (low[1] + high[1]) / 2];
    const { x, y, z } = this.axes();
    const [up, wide] = [Math.tan(FOV / 2), Math.tan(FOV / 2) * Math.min(this.aspect, 1.7)];
    const room = (p) => {
      const off = minus([p[0], middle[1], p[2]], middle);
      return dot(off, z) + Math.max((Math.abs(dot(off, y)) + HEIGHT) / up, (Math.abs(dot(off, x)) + ROOM) / wide);
    };
    const wanted = kind === "steady" ? 5 : Math.max(...span.map(room));
    const share = this.jump ? 1 : 1 - Math.exp(-AFTER * seconds);
    this.jump = false;
    this.target = plus(this.target, scaled(minus(middle, this.target), share));
    this.distance += (wanted * this.zoom - this.distance) * share;
    this.update();
  }

  update() {
    const flat = Math.cos(this.pitch);
    const off = [Math.sin(this.heading) * flat, Math.sin(this.pitch), Math.cos(this.heading) * flat];
    this.eye = plus(this.target, scaled(off, this.distance));
    this.eye[1] = Math.max(this.eye[1], 0.05);
    this.matrix = times(perspective(FOV, this.aspect, 0.05, 300), lookAt(this.eye, this.target));
  }

  /** Pixels of a metre at the target, in a picture so many pixels high. */
  pixelsPerMetre(height) {
    return height / (2 * Math.tan(FOV / 2) * this.distance);
  }

  turn(dx, dy) {
    this.heading -= dx;
    this.pitch = Math.min(Math.max(this.pitch + dy, -0.02), 1.5);
    this.update();
  }

  nearer(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.2), 6);
    this.distance = Math.min(Math.max(this.distance * factor, 0.6), 120);
    this.update();
  }

  /** Moves along the floor; the camera is free from then on. */
  shift(dx, dy) {
    const { x, z } = this.axes();
    const ahead = unit([-z[0], 0, -z[2]]);
    this.target = plus(this.target, plus(scaled(x, -dx * this.distance), scaled(ahead, dy * this.distance)));
    this.update();
  }

  axes() {
    const z = unit(minus(this.eye, this.target));
    const x = unit(cross([0, 1, 0], z));
    return { x, y: cross(z, x), z };
  }

  /** Where a line of sight is as far ahead as a point is. */
  planeAt(px, py, point) {
    const { x, y, z } = this.axes();
    const f = Math.tan(FOV / 2);
    const way = plus(plus(scaled(x, px * f * this.aspect), scaled(y, py * f)), scaled(z, -1));
    const ahead = dot(minus(this.eye, point), z);
    return plus(this.eye, scaled(way, ahead));
  }

  /** Where a line of sight meets the floor; from -1 to 1 in the picture. */
  floorAt(px, py) {
    const { x, y, z } = this.axes();
    const f = Math.tan(FOV / 2);
    const way = plus(plus(scaled(x, px * f * this.aspect), scaled(y, py * f)), scaled(z, -1));
    if (way[1] > -1e-3) return null;
    const share = -this.eye[1] / way[1];
    return [this.eye[0] + way[0] * share, this.eye[2] + way[2] * share];
  }
}
