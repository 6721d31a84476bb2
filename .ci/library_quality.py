#!/usr/bin/env python3
"""The built-in libraries before two judges that share no code with ours.

    library_quality.py SHARED RANDORI OUT

The meter looks at 60 s walks over the graphs; the measurements made of captured boxers are made of the performed ones
too, and must lie within the same range.
"""
import json, pathlib, subprocess, sys

shared, randori, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, str(shared / "data/cmu/tools"))
failures = []


def check(what, value, least, most):
    good = least <= value <= most
    print(f"{'ok ' if good else 'BAD'} {what}: {value:.3g} (from {least} to {most})")
    if not good:
        failures.append(what)


# Least actions, and words without which a library does not serve the patterns of crowds.
eighths = ("front", "front-left", "left", "back-left", "back", "back-right", "right", "front-right")
wanted = {
    "boxing": (250, []),
    "run": (200, []),
    "carry": (160, []),
    "sword": (500, []),
    "crowd": (60, [f"pushed-{hard}{way}" for hard in ("", "hard-") for way in eighths]
              + [f"fall-{way}" for way in ("forward", "back", "left", "right")]),
    "football": (200, "run sprint dodge-left dodge-right spin-left spin-right jump-over tackle-legs tackle-waist tackle-left "
                 "tackle-right tackle-behind tackled-front tackled-left tackled-right tackled-behind fall-forward get-up".split()),
}
for name, (least, words) in wanted.items():
    said = subprocess.run([randori, "library", "stats", out / f"{name}.randori", "--json"], check=True, capture_output=True)
    stats = json.loads(said.stdout)
    check(f"{name}: actions", stats["actions"], least, 100000)
    missing = [word for word in words if word not in stats["annotations"]]
    check(f"{name}: words missing {' '.join(missing)}", len(missing), 0, 0)

# Feet are dragged in falls: such contacts are among the worst twentieth of boxers.
for name, slide in (("boxing", 10.0), ("run", 3.0), ("carry", 5.0), ("sword", 5.0), ("crowd", 5.0), ("football", 5.0)):
    walk = out / f"{name}.glb"
    said = subprocess.run([sys.executable, shared / "tools/meter.py", walk, "--json"], check=True, capture_output=True)
    person = json.loads(said.stdout)["characters"][0]
    p50, p95, _ = person["foot_slide_cm_p50_p95_max"]
    check(f"{name}: skate, cm/s", max(person["skate_cm_per_s"]), 0, 13.5)
    check(f"{name}: slide, median, cm", p50, 0, 1.5)
    check(f"{name}: slide, 95th percentile, cm", p95, 0, slide)
    check(f"{name}: sink, cm", person["foot_sink_cm_max"], 0, 2)
    check(f"{name}: pops", person["pops"], 0, 0)
    check(f"{name}: root jumps", person["root_jumps"], 0, 0)
    check(f"{name}: stretch, mm", person["bone_stretch_mm"], 0, 0.1)

try:
    import measure
    import numpy as np
except ImportError:
    print("SKIPPED: the measurements of captured motion are absent")
else:
    # The least and the greatest of the captured boxers 13_17, 13_18, 14_02 and 14_03, as MEASUREMENTS.md has them.
    ranges = {"S50": (1742, 3233), "S90": (7456, 11234), "S99": (18400, 33354), "double supports a minute": (131, 165)}
    found = {what: [] for what in ranges}
    for number in range(5):
        path = out / f"boxing-take-{number}.bvh"
        subprocess.run([randori, "library", "export", out / "boxing.randori", "--take", str(number), "--convention", "cmu",
                        "-o", path, "--quiet"], check=True)
        take = measure.Take(path, 60.0, 1)
        s = take.accel_sum()
        for what, share in (("S50", 50), ("S90", 90), ("S99", 99)):
            found[what].append(float(np.percentile(s, share)))
        found["double supports a minute"].append(len(take.cuts()) * 60 / take.seconds)
    for what, values in found.items():
        check(f"boxing takes: {what}, least", min(values), *ranges[what])
        check(f"boxing takes: {what}, greatest", max(values), *ranges[what])

sys.exit(1 if failures else 0)
