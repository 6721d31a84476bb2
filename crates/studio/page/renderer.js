// A small renderer: people as tapered capsules, hundreds in one draw, their shadows, things, the floor, rings, ribbons, stars.

import { box, capsule, cylinder, outline } from "./shapes.js";
import { placed, unit } from "./matrices.js";

const LIGHT = unit([0.45, 1.0, 0.35]);
/** Numbers of one piece: two ends, two radii, colour, gloss. */
export const PIECE = 12;
/** Pieces of one draw: what surely fits into a block of uniforms. Software draws instances one after another, each as if it
 * were a draw of its own, so that their mesh is repeated instead. */
const BATCH = 256;

/** How finely people are drawn: segments and rings of a capsule, from so many pixels for a metre on. */
const DETAILS = [{ from: 150, detail: [12, 4] }, { from: 50, detail: [8, 2] }, { from: 0, detail: [6, 1] }];

const PIECES = `
layout(location = 1) in float piece;
layout(std140) uniform Pieces { vec4 pieces[${(BATCH * PIECE) / 4}]; };
vec3 from; vec3 to; vec2 radii; vec4 paint;
void fetch() {
  int at = ${PIECE / 4} * int(piece);
  vec4 ends = pieces[at + 1];
  from = pieces[at].xyz; to = vec3(pieces[at].w, ends.xy); radii = ends.zw; paint = pieces[at + 2];
}`;

const SHADE = `
uniform vec3 sky; uniform vec3 ground; uniform vec3 light; uniform vec3 eye;
vec3 shade(vec3 base, vec3 normal, vec3 place, float gloss) {
  vec3 view = normalize(eye - place);
  float sun = max(dot(normal, light), 0.0);
  float up = 0.5 + 0.5 * normal.y;
  vec3 color = base * (mix(ground, sky, up) + 0.85 * sun);
  float edge = 1.0 - max(dot(normal, view), 0.0);
  color += 0.10 * edge * edge * edge * sky;
  // Powers by squaring: 16 where it is dull, 64 where it shines.
  float spark = max(dot(normalize(light + view), normal), 0.0);
  spark *= spark; spark *= spark; spark *= spark; spark *= spark;
  if (gloss > 0.5) { spark *= spark; spark *= spark; }
  color += mix(0.05, 0.5, gloss) * spark;
  return sqrt(color);
}`;

const BODY = [`#version 300 es
layout(location = 0) in vec4 corner;
uniform mat4 camera;
out vec3 normal; out vec3 place; out vec4 color;
${PIECES}
void main() {
  fetch();
  vec3 along = to - from;
  float length_ = length(along);
  vec3 y = length_ > 1e-5 ? along / length_ : vec3(0.0, 1.0, 0.0);
  vec3 x = normalize(abs(y.y) < 0.9 ? cross(y, vec3(0.0, 1.0, 0.0)) : cross(y, vec3(1.0, 0.0, 0.0)));
  vec3 z = cross(x, y);
  // A cone leans its normals towards the thin end.
  float lean = length_ > 1e-5 ? clamp((radii.x - radii.y) / length_, -0.95, 0.95) : 0.0;
  vec3 direction = x * corner.x + y * corner.y + z * corner.z;
  normal = normalize(direction + y * lean * (1.0 - abs(corner.y)));
  place = mix(from, to, corner.w) + direction * mix(radii.x, radii.y, corner.w);
  color = paint;
  gl_Position = camera * vec4(place, 1.0);
}`, `#version 300 es
precision highp float;
in vec3 normal; in vec3 place; in vec4 color; out vec4 pixel;
${SHADE}
void main() {
  pixel = vec4(shade(color.rgb, normalize(normal), place, color.a), 1.0);
}`];

// A ball's shadow is an ellipse along the light; where that is squeezed to a disc, a capsule's is the outline of two discs.
const SHADOW = [`#version 300 es
layout(location = 0) in vec3 corner;
uniform mat4 camera; uniform vec3 light;
${PIECES}
vec2 scaled(vec2 at, vec2 way, float factor) { return at + way * (factor - 1.0) * dot(at, way); }
void main() {
  fetch();
  vec2 way = normalize(light.xz);
  vec2 a = scaled(from.xz - light.xz * from.y / light.y, way, light.y);
  vec2 b = scaled(to.xz - light.xz * to.y / light.y, way, light.y);
  float length_ = distance(a, b);
  vec2 along = length_ > 1e-5 ? (b - a) / length_ : way;
  vec2 across = vec2(along.y, -along.x);
  vec2 at = mix(a, b, corner.z) + mix(radii.x, radii.y, corner.z) * (along * corner.x + across * corner.y);
  vec2 place = scaled(at, way, 1.0 / light.y);
  gl_Position = camera * vec4(place.x, 0.004, place.y, 1.0);
}`, `#version 300 es
precision mediump float;
out vec4 pixel; uniform float darkness;
void main() { pixel = vec4(0.0, 0.0, 0.0, darkness); }`];

const SOLID = [`#version 300 es
layout(location = 0) in vec3 corner; layout(location = 1) in vec3 facing;
uniform mat4 camera; uniform mat4 model; uniform vec3 light; uniform float flattened;
out vec3 normal; out vec3 place;
void main() {
  vec3 world = (model * vec4(corner, 1.0)).xyz;
  if (flattened > 0.5) world -= light * (world.y - 0.004) / light.y;
  place = world;
  normal = normalize(mat3(model) * (facing / vec3(dot(model[0], model[0]), dot(model[1], model[1]), dot(model[2], model[2]))));
  gl_Position = camera * vec4(world, 1.0);
}`, `#version 300 es
precision highp float;
in vec3 normal; in vec3 place; out vec4 pixel;
uniform vec3 paint; uniform float flattened; uniform float darkness;
${SHADE}
void main() {
  if (flattened > 0.5) { pixel = vec4(0.0, 0.0, 0.0, darkness); return; }
  pixel = vec4(shade(paint, normalize(normal), place, 0.1), 1.0);
}`];

const FLOOR = [`#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 camera; uniform vec2 middle; out vec2 place;
void main() {
  place = middle + corner * 60.0;
  gl_Position = camera * vec4(place.x, 0.0, place.y, 1.0);
}`, `#version 300 es
precision highp float;
in vec2 place; out vec4 pixel;
uniform vec3 base; uniform vec3 line; uniform vec3 back; uniform vec2 middle;
float grid(vec2 at, vec2 soft, float step_, float width) {
  vec2 off = abs(fract(at / step_ - 0.5) - 0.5) * step_;
  vec2 near_ = 1.0 - smoothstep(vec2(width), vec2(width) + soft, off);
  return max(near_.x, near_.y) * clamp(step_ / (8.0 * max(soft.x, soft.y)), 0.0, 1.0);
}
void main() {
  vec2 soft = fwidth(place) * 1.2 + 1e-5;
  float lines = max(0.35 * grid(place, soft, 1.0, 0.006), 0.8 * grid(place, soft, 5.0, 0.012));
  float far = smoothstep(9.0, 42.0, length(place - middle));
  vec3 color = mix(base, line, lines);
  pixel = vec4(mix(color, back, far), 1.0);
}`];

const RING = [`#version 300 es
layout(location = 0) in vec2 corner; layout(location = 1) in vec4 ring; layout(location = 2) in vec4 paint;
uniform mat4 camera; out vec2 at; out vec4 color; out float filled;
void main() {
  at = corner; color = paint; filled = ring.w;
  gl_Position = camera * vec4(ring.x + corner.x * ring.z, 0.006, ring.y + corner.y * ring.z, 1.0);
}`, `#version 300 es
precision highp float;
in vec2 at; in vec4 color; in float filled; out vec4 pixel;
void main() {
  float r = length(at);
  float soft = fwidth(r) * 1.2;
  float edge = smoothstep(1.0, 1.0 - soft, r);
  float hole = smoothstep(0.86 - soft, 0.86, r);
  float alpha = color.a * edge * max(hole, filled);
  if (alpha < 0.01) discard;
  pixel = vec4(pow(color.rgb, vec3(1.0 / 2.2)), alpha);
}`];

const RIBBON = [`#version 300 es
layout(location = 0) in vec3 corner; layout(location = 1) in vec4 paint;
uniform mat4 camera; out vec4 color;
void main() { color = paint; gl_Position = camera * vec4(corner, 1.0); }`, `#version 300 es
precision highp float;
in vec4 color; out vec4 pixel;
void main() { pixel = vec4(pow(color.rgb, vec3(1.0 / 2.2)), color.a); }`];

const STAR = [`#version 300 es
layout(location = 0) in vec4 star; layout(location = 1) in vec4 paint;
uniform mat4 camera; uniform float height; out vec4 color;
void main() {
  color = paint;
  gl_Position = camera * vec4(star.xyz, 1.0);
  gl_PointSize = clamp(star.w * height / gl_Position.w, 2.0, 200.0);
}`, `#version 300 es
precision highp float;
in vec4 color; out vec4 pixel;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float r = length(at);
  float rays = 0.55 + 0.45 * cos(8.0 * atan(at.y, at.x));
  float alpha = color.a * smoothstep(1.0, 0.0, r / max(rays, 0.35));
  if (alpha < 0.02) discard;
  pixel = vec4(color.rgb, alpha);
}`];

/** Whether pictures are made by the processor, as far as the browser tells. */
function isDrawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl?.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    // Where there is no graphics processor, smooth edges take longer than everything else together.
    const gl = canvas.getContext("webgl2", { antialias: !isDrawnBySoftware(), alpha: false, stencil: true, powerPreference: "high-performance" });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    gl.cullFace(gl.BACK);
    this.programs = Object.fromEntries(
      Object.entries({ BODY, SHADOW, SOLID, FLOOR, RING, RIBBON, STAR }).map(([name, code]) => [name, this.program(...code)]));
    this.pieces = gl.createBuffer();
    this.details = DETAILS.map(({ detail }) => this.batch(capsule(...detail), 4));
    this.outline = this.batch(outline(), 3);
    this.boxes = this.mesh(box(), [3, 3]);
    this.cylinders = this.mesh(cylinder(), [3, 3]);
    const square = { vertices: new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), indices: new Uint16Array([0, 1, 2, 0, 2, 3]) };
    this.square = this.mesh(square, [2]);
    this.ringSquare = this.mesh(square, [2]);
    this.rings = gl.createBuffer();
    gl.bindVertexArray(this.ringSquare.array);
    this.instances(this.rings, 1, [4, 4]);
    this.ribbons = this.stream([3, 4]);
    this.stars = this.stream([4, 4]);
    gl.bindVertexArray(null);
    this.theme("dark");
  }

  theme(name) {
    const dark = name === "dark";
    const linear = (...bytes) => bytes.map((byte) => byte / 255);
    this.look = {
      back: dark ? linear(20, 23, 29) : linear(226, 230, 237),
      base: dark ? linear(33, 38, 48) : linear(205, 211, 221),
      line: dark ? linear(70, 80, 99) : linear(160, 170, 186),
      sky: dark ? [0.5, 0.54, 0.62] : [0.62, 0.65, 0.7],
      ground: dark ? [0.12, 0.13, 0.16] : [0.3, 0.3, 0.31],
      darkness: dark ? 0.42 : 0.24,
    };
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, code] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, code);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const block = gl.getUniformBlockIndex(program, "Pieces");
    if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(program, block, 0);
    const places = {};
    const n = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < n; k++) {
      const { name } = gl.getActiveUniform(program, k);
      const place = gl.getUniformLocation(program, name);
      if (place) places[name] = place;
    }
    return { program, places };
  }

  mesh({ vertices, indices }, sizes) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
    this.layout(sizes, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    return { array, n: indices.length };
  }

  /** A mesh once for each piece of a batch, whose vertices know their piece. */
  batch({ vertices, indices }, size) {
    const n = vertices.length / size;
    const repeated = new Float32Array(BATCH * n * (size + 1));
    const order = new Uint16Array(BATCH * indices.length);
    for (let piece = 0; piece < BATCH; piece++) {
      for (let k = 0; k < n; k++) {
        const at = (piece * n + k) * (size + 1);
        repeated.set(vertices.subarray(k * size, (k + 1) * size), at);
        repeated[at + size] = piece;
      }
      indices.forEach((index, k) => (order[piece * indices.length + k] = piece * n + index));
    }
    return { ...this.mesh({ vertices: repeated, indices: order }, [size, 1]), each: indices.length };
  }

  instances(buffer, first, sizes) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.layout(sizes, first, 1);
  }

  stream(sizes) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    this.layout(sizes, 0, 0);
    return { array, buffer };
  }

  layout(sizes, first, divisor) {
    const gl = this.gl;
    const stride = 4 * sizes.reduce((a, b) => a + b, 0);
    let offset = 0;
    sizes.forEach((size, k) => {
      gl.enableVertexAttribArray(first + k);
      gl.vertexAttribPointer(first + k, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(first + k, divisor);
      offset += 4 * size;
    });
  }

  use(name, camera, more = {}) {
    const gl = this.gl;
    const { program, places } = this.programs[name];
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.camera, false, camera.matrix);
    const { sky, ground, darkness } = this.look;
    const all = { light: LIGHT, eye: camera.eye, sky, ground, darkness, flattened: 0, ...more };
    for (const [key, value] of Object.entries(all)) {
      if (!(key in places)) continue;
      if (typeof value === "number") gl.uniform1f(places[key], value);
      else if (value.length === 2) gl.uniform2fv(places[key], value);
      else if (value.length === 16) gl.uniformMatrix4fv(places[key], false, value);
      else gl.uniform3fv(places[key], value);
    }
    return places;
  }

  /** Makes the picture as large as it is shown. Software draws large pictures slowly, so not larger than asked. */
  fit(most = 1) {
    const scale = Math.min(devicePixelRatio || 1, most);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((n) => Math.max(1, Math.round(n * scale)));
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
  }

  clear() {
    const gl = this.gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...this.look.back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  }

  /** Draws a scene into a part of the picture: left, bottom, width, height in pixels. */
  draw(scene, camera, [left, bottom, width, height]) {
    const gl = this.gl;
    gl.viewport(left, bottom, width, height);
    gl.scissor(left, bottom, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    const { base, line, back } = this.look;
    this.use("FLOOR", camera, { base, line, back, middle: [camera.target[0], camera.target[2]] });
    this.drawMesh(this.square);
    this.drawArea(scene.floor, camera);
    this.drawRings(scene.rings, camera);
    this.upload(scene);
    // Shadows: what is flattened to the floor darkens it, once.
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    // All solids are closed: what faces away is never seen.
    gl.enable(gl.CULL_FACE);
    this.drawPeopleShadows(scene, camera);
    this.drawThings(scene, camera, 1);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    this.drawPeople(scene, camera, height);
    this.drawThings(scene, camera, 0);
    gl.disable(gl.CULL_FACE);
    this.drawRibbons(scene.ribbons, camera);
    gl.disable(gl.DEPTH_TEST);
    this.drawRibbons(scene.arrows, camera);
    gl.enable(gl.DEPTH_TEST);
    this.drawStars(scene.stars, camera, height);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  /** All pieces, and room to the end of the last batch. */
  upload({ pieces, n }) {
    const gl = this.gl;
    // A length of nothing would mean all.
    if (!n) return;
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.pieces);
    gl.bufferData(gl.UNIFORM_BUFFER, 4 * PIECE * BATCH * Math.ceil(n / BATCH), gl.DYNAMIC_DRAW);
    gl.bufferSubData(gl.UNIFORM_BUFFER, 0, pieces, 0, n * PIECE);
  }

  drawPieces({ array, each }, n) {
    const gl = this.gl;
    const size = 4 * PIECE * BATCH;
    gl.bindVertexArray(array);
    for (let first = 0; first < n; first += BATCH) {
      gl.bindBufferRange(gl.UNIFORM_BUFFER, 0, this.pieces, (first / BATCH) * size, size);
      gl.drawElements(gl.TRIANGLES, each * Math.min(BATCH, n - first), gl.UNSIGNED_SHORT, 0);
    }
    gl.bindVertexArray(null);
  }

  drawMesh({ array, n }, count = 0) {
    const gl = this.gl;
    gl.bindVertexArray(array);
    if (count) gl.drawElementsInstanced(gl.TRIANGLES, n, gl.UNSIGNED_SHORT, 0, count);
    else gl.drawElements(gl.TRIANGLES, n, gl.UNSIGNED_SHORT, 0);
    gl.bindVertexArray(null);
  }

  drawPeople(scene, camera, height) {
    if (!scene.n) return;
    const pixels = camera.pixelsPerMetre(height);
    this.use("BODY", camera);
    this.drawPieces(this.details[DETAILS.findIndex(({ from }) => pixels >= from)], scene.n);
  }

  drawPeopleShadows(scene, camera) {
    if (!scene.n) return;
    this.use("SHADOW", camera);
    this.drawPieces(this.outline, scene.n);
  }

  drawThings(scene, camera, flattened) {
    for (const { shape, rotation, place, size, color } of scene.things) {
      this.use("SOLID", camera, { flattened, paint: color, model: placed(rotation, place, size) });
      this.drawMesh(shape === "box" ? this.boxes : this.cylinders);
    }
  }

  /** An area of the floor, in strips along x: where each begins, its row, and how long it is. */
  drawArea(area, camera) {
    if (!area) return;
    if (this.area !== area) {
      const color = [0.32, 0.5, 0.9, 0.3];
      const corner = (x, z) => [x, 0.003, z, ...color];
      this.strips = Float32Array.from(area.strips.flatMap(([x, z, length]) => {
        const [low, high] = [z - area.side / 2, z + area.side / 2];
        return [...corner(x, low), ...corner(x, high), ...corner(x + length, high), ...corner(x, low), ...corner(x + length, high), ...corner(x + length, low)];
      }));
      this.area = area;
    }
    this.drawStream("RIBBON", this.ribbons, this.strips, 7, camera, this.gl.TRIANGLES);
    this.gl.depthMask(true);
    this.gl.disable(this.gl.BLEND);
  }

  drawRings(rings, camera) {
    if (!rings.length) return;
    const gl = this.gl;
    const numbers = rings.flatMap(({ at, radius, filled, color }) => [at[0], at[1], radius, filled ?? 0, ...color]);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.rings);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    this.use("RING", camera);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawMesh(this.ringSquare, rings.length);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** Ribbons are lists of points with a width and a colour; they turn to the camera and fade towards their start. */
  drawRibbons(ribbons, camera) {
    const n = ribbons.reduce((sum, { points }) => sum + Math.max(points.length - 1, 0), 0);
    if (!n) return;
    if (!(this.corners?.length >= 42 * n)) this.corners = new Float32Array(84 * n);
    const out = this.corners;
    const [ex, ey, ez] = camera.eye;
    let at = 0;
    const corner = (p, x, y, z, color, alpha) => {
      out[at] = p[0] + x; out[at + 1] = p[1] + y; out[at + 2] = p[2] + z;
      out[at + 3] = color[0]; out[at + 4] = color[1]; out[at + 5] = color[2]; out[at + 6] = alpha;
      at += 7;
    };
    for (const { points, width, color, even } of ribbons) {
      const last = points.length;
      for (let k = 0; k + 1 < last; k++) {
        const [a, b] = [points[k], points[k + 1]];
        const [bx, by, bz, cx, cy, cz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2], ex - a[0], ey - a[1], ez - a[2]];
        let [x, y, z] = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
        const scale = width / 2 / (Math.hypot(x, y, z) || 1);
        x *= scale; y *= scale; z *= scale;
        const from = even ? color[3] : color[3] * ((k + 1) / last) ** 2;
        const to = even ? color[3] : color[3] * ((k + 2) / last) ** 2;
        corner(a, x, y, z, color, from); corner(a, -x, -y, -z, color, from); corner(b, x, y, z, color, to);
        corner(b, x, y, z, color, to); corner(a, -x, -y, -z, color, from); corner(b, -x, -y, -z, color, to);
      }
    }
    this.drawStream("RIBBON", this.ribbons, out.subarray(0, at), 7, camera, this.gl.TRIANGLES);
  }

  drawStars(stars, camera, height) {
    const numbers = stars.flatMap(({ at, size, color }) => [...at, size, ...color]);
    this.gl.disable(this.gl.DEPTH_TEST);
    this.drawStream("STAR", this.stars, numbers, 8, camera, this.gl.POINTS, { height });
    this.gl.enable(this.gl.DEPTH_TEST);
  }

  drawStream(name, { array, buffer }, numbers, size, camera, kind, more = {}) {
    if (!numbers.length) return;
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers instanceof Float32Array ? numbers : new Float32Array(numbers), gl.DYNAMIC_DRAW);
    this.use(name, camera, more);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.bindVertexArray(array);
    gl.drawArrays(kind, 0, numbers.length / size);
    gl.bindVertexArray(null);
  }
}
