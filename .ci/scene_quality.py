#!/usr/bin/env python3
"""Plays every scene under scenes/ and judges what comes out by the independent meter.

    scene_quality.py SHARED RANDORI OUT [SCENE...]
"""
import json
import pathlib
import subprocess
import sys
import tomllib

shared, randori, out = sys.argv[1:4]
out = pathlib.Path(out)
out.mkdir(parents=True, exist_ok=True)
scenes = [pathlib.Path(name) for name in sys.argv[4:]] or sorted(pathlib.Path("scenes").glob("*.toml"))
faults = []
# The meter takes minutes for all pairs of more people than this; the linter, which agrees with it, takes seconds.
MANY = 100


def expect(name, what, holds):
    if not holds:
        faults.append(f"{name}: {what}")


for scene in scenes:
    name = scene.stem
    glb, report = out / f"{name}.glb", out / f"{name}.json"
    subprocess.run([randori, "run", scene, "-o", glb, "--report", report, "--quiet"], check=True)
    told = json.loads(report.read_text())
    # Of scenes of patches all pairs are judged, however many people there are: nobody may walk through another.
    patches = told["patches"]
    is_crowd = bool(patches) and patches["people"] > MANY
    meter = [sys.executable, f"{shared}/tools/meter.py", glb, "--json"]
    meter += ["--pairs"] if patches and not is_crowd else []
    judged = json.loads(subprocess.run(meter, check=True, capture_output=True, text=True).stdout)
    if is_crowd:
        checked = subprocess.run([randori, "check", glb, "--json"], capture_output=True, text=True)
        judged["pairs"] = json.loads(checked.stdout)["files"][0]["pairs"]
    skate = max(max(person["skate_cm_per_s"]) for person in judged["characters"])
    pops = sum(person["pops"] for person in judged["characters"])
    jumps = sum(person["root_jumps"] for person in judged["characters"])
    deep = max((pair["frames_core_deeper_3cm_percent"] for pair in judged["pairs"]), default=0.0)
    attacks = sum(person["attacks"] for person in told["characters"])
    hits = sum(person["hits_given"]["head"] + person["hits_given"]["torso"] for person in told["characters"])
    gaps = [blow["gap_cm"][1] for blow in told["refinement"]["blows"]]
    print(
        f"{name}: {told['seconds']:.0f} s in {told['run_seconds']:.1f} s, {attacks} attacks, {hits} hits, widest gap "
        f"{max(gaps, default=0.0):.1f} cm; skate {skate:.1f} cm/s, {pops} pops, {jumps} root jumps, cores deeper than 3 cm "
        f"in {deep:.2f} % of frames"
    )
    expect(name, f"skate {skate:.1f} cm/s", skate <= 15)
    expect(name, f"{pops} pops", pops == 0)
    expect(name, f"{jumps} root jumps", jumps == 0)
    expect(name, f"cores deep in {deep:.2f} % of frames", deep < 1)
    expect(name, f"a blow {max(gaps, default=0.0):.1f} cm off", max(gaps, default=0.0) <= 5)
    if patches:
        wishes = patches["wishes"]
        print(
            f"  {patches['people']} people, {patches['uses']} uses, {patches['most_used_percent']:.1f} % of one patch; "
            f"{wishes['met']} of {wishes['possible']} commands followed that could be"
        )
        expect(name, f"{patches['uses']} uses", patches["uses"] >= told["seconds"] / 4)
        if filled := patches.get("filled"):
            print(
                f"  {filled['people']} lie on {filled['area']:.0f} m², {filled['left']:.2f} m² are farther than 0.5 m from "
                f"everybody; nobody is farther outside than {filled['outside']:.2f} m"
            )
            expect(name, f"{filled['left']:.2f} m² are left", filled["left"] == 0)
            expect(name, f"somebody lies {filled['outside']:.2f} m outside", filled["outside"] < 1.75)
        if name == "patches-dominoes":
            expect(name, f"{patches['people']} people", patches["people"] >= 300)
        if name.startswith("patches-mouse"):
            expect(name, f"{patches['people']} people", patches["people"] >= 100)
        if (arrived := patches.get("arrived")) is not None:
            pieces = len(tomllib.loads(scene.read_text())["patches"]["luggage"])
            print(f"  {arrived} of {pieces} pieces arrive")
            expect(name, f"{arrived} of {pieces} pieces", arrived == pieces)
        for kept in patches.get("appointments", []):
            print(f"  appointment {kept['number']}: {kept['off']} m off, {kept['late']} s late")
            expect(name, f"appointment {kept['number']} missed", kept["patch"] is not None)
        if name == "patches-one-one":
            expect(name, f"{patches['most_used_percent']:.1f} % of one patch", patches["most_used_percent"] <= 10)
        expect(name, f"{wishes['met']} of {wishes['possible']} commands", wishes["met"] >= 0.95 * wishes["possible"])
    if name.startswith(("boxing", "sword-duel", "graph-boxing")):
        expect(name, f"{attacks} attacks", attacks >= 15 * told["seconds"] / 30)
        expect(name, f"{hits} hits", hits >= 5 * told["seconds"] / 30)

if faults:
    sys.exit("\n".join(faults))
