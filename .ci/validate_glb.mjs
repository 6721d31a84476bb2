// Khronos' validator over any number of GLB files: fails unless each has 0 errors and 0 warnings.
//
//     node .ci/validate_glb.mjs FILE.glb…
//
// Needs the npm package gltf-validator, found through NODE_PATH or a node_modules folder above.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { validateBytes } = createRequire(import.meta.url)("gltf-validator");

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node validate_glb.mjs FILE.glb…");
  process.exit(2);
}
let failures = 0;
for (const file of files) {
  const { issues } = await validateBytes(new Uint8Array(readFileSync(file)), { uri: file, maxIssues: 1000 });
  const bad = issues.numErrors + issues.numWarnings > 0;
  failures += bad;
  console.log(
    `${bad ? "FAIL" : "ok  "} ${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ` +
      `${issues.numInfos} infos, ${issues.numHints} hints`,
  );
  const seen = new Map();
  for (const { severity, code, message, pointer } of issues.messages) {
    const kind = `${["error", "warning", "info", "hint"][severity]} ${code}`;
    const entry = seen.get(kind) ?? { count: 0, first: `${pointer ?? ""} ${message}` };
    entry.count += 1;
    seen.set(kind, entry);
  }
  for (const [kind, { count, first }] of seen) console.log(`     ${kind} ×${count}, first: ${first}`);
}
process.exit(failures > 0 ? 1 : 0);
