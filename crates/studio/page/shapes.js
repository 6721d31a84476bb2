// Meshes: a capsule that shaders stretch, a box, a cylinder.

/** Vertices of direction (3) and end (1); a shader puts them at its end, a radius along the direction. */
export function capsule(segments = 12, rings = 4) {
  const vertices = [];
  const indices = [];
  for (let ring = 0; ring <= 2 * rings + 1; ring++) {
    const end = ring > rings ? 1 : 0;
    const angle = (Math.PI / 2) * ((ring - (end ? rings + 1 : rings)) / rings);
    for (let segment = 0; segment <= segments; segment++) {
      const turn = (2 * Math.PI * segment) / segments;
      vertices.push(Math.cos(angle) * Math.cos(turn), Math.sin(angle), Math.cos(angle) * Math.sin(turn), end);
    }
  }
  const row = segments + 1;
  for (let ring = 0; ring < 2 * rings + 1; ring++)
    for (let segment = 0; segment < segments; segment++) {
      const at = ring * row + segment;
      // At the poles one of the two triangles has no area.
      if (ring > 0) indices.push(at, at + row, at + 1);
      if (ring < 2 * rings) indices.push(at + 1, at + row, at + row + 1);
    }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

/** Vertices of direction (2: along, across) and end (1): the outline of a capsule on the floor, as a fan. */
export function outline(corners = 3) {
  const vertices = [];
  const indices = [];
  for (const end of [0, 1])
    for (let k = 0; k <= corners; k++) {
      const angle = Math.PI * (end + k / corners + 0.5);
      vertices.push(Math.cos(angle), Math.sin(angle), end);
    }
  for (let k = 2; k < 2 * corners + 2; k++) indices.push(0, k - 1, k);
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

/** Vertices of place (3) and normal (3), from -1 to 1. */
export function box() {
  const vertices = [];
  const indices = [];
  for (const axis of [0, 1, 2])
    for (const side of [-1, 1]) {
      const first = vertices.length / 6;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const place = [0, 0, 0];
        const normal = [0, 0, 0];
        place[axis] = normal[axis] = side;
        place[(axis + 1) % 3] = u;
        place[(axis + 2) % 3] = v;
        vertices.push(...place, ...normal);
      }
      const order = side > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
      indices.push(...order.map((k) => first + k));
    }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

export function cylinder(segments = 24) {
  const vertices = [];
  const indices = [];
  for (let k = 0; k <= segments; k++) {
    const [x, z] = [Math.cos((2 * Math.PI * k) / segments), Math.sin((2 * Math.PI * k) / segments)];
    vertices.push(x, -1, z, x, 0, z, x, 1, z, x, 0, z, x, -1, z, 0, -1, 0, x, 1, z, 0, 1, 0);
  }
  for (let k = 0; k < segments; k++) {
    const [a, b] = [4 * k, 4 * (k + 1)];
    indices.push(a, a + 1, b, b, a + 1, b + 1);
    if (k > 0) indices.push(2, a + 2, b + 2, 3, b + 3, a + 3);
  }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}
