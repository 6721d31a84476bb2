#!/usr/bin/env python3
"""BVH to BVH, and BVH to GLB to BVH, on the file's own skeleton: every joint within a millimetre.

    round_trips.py RANDORI WORKDIR FILE.bvh...
"""
import json
import os
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def positions(randori, path, frames, *extra):
    frames = ",".join(map(str, frames))
    report = json.loads(run(randori, "capture", "fk", path, "--frames", frames, "--units", "m", "--json", *extra))
    return [frame["joints"] for frame in report["frames"]]


def main():
    randori, workdir, *files = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    worst, compared = 0.0, 0
    for path in files:
        info = json.loads(run(randori, "capture", "info", path, "--json"))["characters"][0]
        # Rows before the motion are kept as rest pose.
        skipped, count = info["frames_skipped"], info["frames"]
        frames = sorted({0, count // 3, 2 * count // 3, count - 1})
        name = os.path.join(workdir, os.path.basename(path))
        run(randori, "capture", "convert", path, "-o", name)
        run(randori, "capture", "convert", path, "-o", name + ".glb", "--onto", "own")
        run(randori, "capture", "convert", name + ".glb", "-o", name + ".back.bvh")
        before = positions(randori, path, [frame + skipped for frame in frames])
        for made, *scale in ((name,), (name + ".back.bvh", "--scale", "1")):
            info = json.loads(run(randori, "capture", "info", made, "--json", *scale))["characters"][0]
            if info["frames"] != count:
                sys.exit(f"{path}: {count} frames became {info['frames']}")
            after = positions(randori, made, [frame + info["frames_skipped"] for frame in frames], *scale)
            for expected, found in zip(before, after, strict=True):
                missing = set(expected) - set(found)
                if missing:
                    sys.exit(f"{path}: lost {sorted(missing)}")
                for joint, a in expected.items():
                    distance = sum((x - y) ** 2 for x, y in zip(a, found[joint])) ** 0.5
                    worst, compared = max(worst, distance), compared + 1
                    if distance > 1e-3:
                        sys.exit(f"{path}: {joint} moved by {1e3 * distance:.2f} mm")
        for made in (name, name + ".glb", name + ".back.bvh"):
            os.remove(made)
    print(f"{len(files)} files there and back, {compared} positions, worst {1e3 * worst:.4f} mm")


if __name__ == "__main__":
    main()
