#!/usr/bin/env python3
"""Compare `randori check --json` with an independent meter on the same files.

    agree_with_meter.py METER RANDORI FILE.glb...

Every figure that both report must agree within 10 % (or a small absolute slack, for figures near zero).
Exit 0 if all do.
"""
import json
import subprocess
import sys

# figure -> absolute slack in its own unit
FIGURES = {
    "bone_stretch_mm": 0.05,
    "foot_sink_cm_max": 0.05,
    "peak_acceleration_m_s2": 5.0,
    "pops": 0.5,
    "root_jumps": 0.5,
    "knee_flexion_deg_max": 0.5,
    "elbow_flexion_deg_max": 0.5,
}
PAIR_FIGURES = {
    "closest_hips_m": 0.005,
    "core_penetration_cm_max": 0.1,
    "limb_penetration_cm_max": 0.1,
    "frames_core_deeper_3cm_percent": 0.5,
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    # The linter exits with 1 when it found faults; its report is as good.
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def close(a, b, slack):
    return abs(a - b) <= max(slack, 0.1 * max(abs(a), abs(b)))


def main():
    meter, randori, *files = sys.argv[1:]
    compared, failed = 0, 0

    def compare(where, ours, theirs, slack):
        nonlocal compared, failed
        compared += 1
        if not close(ours, theirs, slack):
            failed += 1
            print(f"DISAGREE {where}: randori {ours:.4f}, meter {theirs:.4f}")

    for path in files:
        theirs = run(sys.executable, meter, path, "--json")
        ours = run(randori, "check", path, "--json")["files"][0]
        for a, b in zip(ours["characters"], theirs["characters"], strict=True):
            where = f"{path} {b['name']}"
            for figure, slack in FIGURES.items():
                if b[figure] is not None:
                    compare(f"{where} {figure}", a[figure], b[figure], slack)
            for i, (x, y) in enumerate(zip(a["skate_cm_per_s"], b["skate_cm_per_s"], strict=True)):
                compare(f"{where} skate[{i}]", x, y, 0.05)
            slides = (a["foot_slide_cm_p50_p95_max"], b["foot_slide_cm_p50_p95_max"])
            if (slides[0] is None) != (slides[1] is None):
                compare(f"{where} has contacts", float(slides[0] is not None), float(slides[1] is not None), 0)
            elif slides[0]:
                for name, x, y in zip(("p50", "p95", "max"), *slides, strict=True):
                    compare(f"{where} slide {name}", x, y, 0.1)
        by_names = {tuple(p["pair"]): p for p in ours["pairs"]}
        for b in theirs["pairs"]:
            a = by_names[tuple(b["pair"])]
            for figure, slack in PAIR_FIGURES.items():
                compare(f"{path} {b['pair']} {figure}", a[figure], b[figure], slack)
    print(f"{len(files)} files, {compared} figures compared, {failed} disagree")
    sys.exit(1 if failed or not compared else 0)


if __name__ == "__main__":
    main()
