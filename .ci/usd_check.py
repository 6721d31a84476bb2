"""Pixar's USD opens what we write: every character and joint, within a millimetre, skinned, seen when it is there.

    python3 .ci/usd_check.py FILE.usda POSITIONS.json [FILE.usda POSITIONS.json ...] [--tolerance 0.001]

POSITIONS.json is what randori_scene::export::joint_positions returns:
{"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], ...]}}}, metres, +Y up.
Needs the PyPI package usd-core.
"""
import argparse
import json
import sys

from pxr import Gf, Usd, UsdGeom, UsdSkel


def check(path, positions, tolerance):
    """What is wrong with a file, as a list of sentences, and how many joints were compared."""
    expected = json.load(open(positions))
    stage = Usd.Stage.Open(path)
    failures, worst, n_compared = [], 0.0, 0
    if UsdGeom.GetStageUpAxis(stage) != "Y" or UsdGeom.GetStageMetersPerUnit(stage) != 1:
        failures.append("not in metres with +Y up")
    if not json.loads(stage.GetRootLayer().customLayerData["randori:events"]) and "demo" in path:
        failures.append("the demo has no events")
    roots = {prim.GetDisplayName(): prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Root)}
    cache = UsdSkel.Cache()
    for name, joints in expected["characters"].items():
        if name not in roots:
            failures.append(f"no character {name}; found {sorted(roots)}")
            continue
        root = UsdSkel.Root(roots[name])
        cache.Populate(root, Usd.PrimDefaultPredicate)
        bindings = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
        if len(bindings) != 1 or not bindings[0].GetSkinningTargets():
            failures.append(f"{name}: no mesh is skinned to its skeleton")
            continue
        for target in bindings[0].GetSkinningTargets():
            n_points = len(UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get())
            if len(target.GetJointIndicesPrimvar().Get()) != 4 * n_points:
                failures.append(f"{name}: {n_points} points, and not four joints for each")
        query = cache.GetSkelQuery(bindings[0].GetSkeleton())
        names = [str(joint).rsplit("/", 1)[-1] for joint in query.GetJointOrder()]
        if not query.HasBindPose() or not query.GetAnimQuery():
            failures.append(f"{name}: no bind pose or no animation")
            continue
        for at, frame in enumerate(expected["frames"]):
            code = frame / expected["fps"] * stage.GetTimeCodesPerSecond()
            found = dict(zip(names, query.ComputeJointSkelTransforms(Usd.TimeCode(code))))
            for joint, track in joints.items():
                safe = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in joint)
                if safe not in found:
                    failures.append(f"{name}.{joint} is missing")
                    break
                distance = (Gf.Vec3d(*track[at]) - found[safe].ExtractTranslation()).GetLength()
                worst, n_compared = max(worst, distance), n_compared + 1
                if distance > tolerance:
                    failures.append(f"{name}.{joint} in frame {frame}: {1000 * distance:.3f} mm off")
    print(f"{path}: {n_compared} joints compared, worst {1000 * worst:.4f} mm, {len(failures)} failures")
    return failures, n_compared


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("files", nargs="+")
parser.add_argument("--tolerance", type=float, default=1e-3, help="metres")
options = parser.parse_args()
all_failures, total = [], 0
for file, joints in zip(options.files[::2], options.files[1::2]):
    failures, compared = check(file, joints, options.tolerance)
    all_failures += failures
    total += compared
for failure in all_failures[:20]:
    print("FAIL", failure)
sys.exit(1 if all_failures or total == 0 else 0)
