"""Compares two files of joint positions, character by character, joint by joint, frame by frame.

    python3 .ci/compare_positions.py EXPECTED.json FOUND.json [--tolerance 0.001]

Both are {"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], ...]}}}; FOUND may hold
more characters and joints.
"""
import argparse
import json
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("expected")
parser.add_argument("found")
parser.add_argument("--tolerance", type=float, default=1e-3, help="metres")
options = parser.parse_args()
expected, found = json.load(open(options.expected)), json.load(open(options.found))
assert expected["frames"] == found["frames"] and expected["fps"] == found["fps"], "different frames"

worst, n_compared, failures = (0.0, "nothing"), 0, []
for name, joints in expected["characters"].items():
    for joint, track in joints.items():
        other = found["characters"].get(name, {}).get(joint)
        if other is None:
            failures.append(f"{name}.{joint} is missing")
            continue
        for frame, a, b in zip(expected["frames"], track, other):
            distance = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5
            worst = max(worst, (distance, f"{name}.{joint} in frame {frame}"))
            n_compared += 1
            if distance > options.tolerance:
                failures.append(f"{name}.{joint} in frame {frame}: {distance * 1000:.3f} mm off")
for failure in failures[:20]:
    print("FAIL", failure)
print(f"{n_compared} joint positions compared, worst {worst[0] * 1000:.4f} mm ({worst[1]}), {len(failures)} failures")
sys.exit(1 if failures or n_compared == 0 else 0)
