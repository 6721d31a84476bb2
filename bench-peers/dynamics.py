"""The dynamics of one model beside Pinocchio's in C++, algorithm by algorithm, both compiled for this machine.

    python bench-peers/dynamics.py [--turns 7] [--urdf FILE] [--lock joint,joint] [--include DIR]

Needs Pinocchio's Python package with its headers (`pip install pin cmeel-eigen`), `example-robot-data` unless a URDF
is given, and g++. `--include` names further folders with headers, such as Eigen's. Both programs run in turns on one
thread and the same 40 states of the floating model (Talos with locked grippers by default); each row is the least
time of a call, its median over the turns, and the first line of each program sums what it computed, to be compared.
The mass matrix of ours has both halves filled, Pinocchio's one.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = {
    "mass matrix": ["crba"],
    "non-linear terms": ["nonLinearEffects", "rnea"],
    "Jacobians": ["computeJointJacobians"],
    "time variation of Jacobians": ["computeJointJacobiansTimeVariation"],
}
# Boost's lists are as long as Pinocchio's list of joints.
FLAGS = """-O3 -march=native -DNDEBUG -std=c++17 -w -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12""".split()


def talos():
    package = importlib.metadata.distribution("example-robot-data")
    wanted = "talos_data/robots/talos_reduced.urdf"
    return next(str(package.locate_file(file)) for file in package.files if str(file).endswith(wanted))


def model_text(urdf, locked):
    full = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    model = pin.buildReducedModel(full, [full.getJointId(name) for name in locked], pin.neutral(full))
    lines = [str(model.njoints - 1)]
    for joint in range(1, model.njoints):
        place, inertia, kind = model.jointPlacements[joint], model.inertias[joint], model.joints[joint].shortname()
        axis = model.joints[joint].extract().axis if kind == "JointModelRevoluteUnaligned" else np.zeros(3)
        numbers = [*axis, *place.rotation.ravel(), *place.translation]
        numbers += [inertia.mass, *inertia.lever, *inertia.inertia.ravel()]
        words = [model.names[joint], str(model.parents[joint]), kind, *(repr(float(x)) for x in numbers)]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def our_bench():
    build = ["cargo", "bench", "-p", "randori-wholebody", "--bench", "whole_body", "--no-run"]
    done = subprocess.run([*build, "--message-format=json"], cwd=HERE.parent, check=True, stdout=subprocess.PIPE)
    made = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    return next(path for path in reversed(made) if path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--urdf")
    parser.add_argument("--lock", default="gripper_left_joint,gripper_right_joint")
    parser.add_argument("--include", action="append", default=[])
    options = parser.parse_args()
    urdf = options.urdf or talos()
    headers = [str(pathlib.Path(pin.__file__).parents[4] / "include"), *options.include]
    headers += [f"{folder}/{name}" for folder in headers for name in ("eigen3", "pinocchio/deprecated")]
    with tempfile.TemporaryDirectory() as folder:
        theirs = f"{folder}/dynamics"
        folders = [f"-I{path}" for path in headers]
        subprocess.run(["g++", *FLAGS, *folders, str(HERE / "dynamics.cpp"), "-o", theirs], check=True)
        text = model_text(urdf, [name for name in options.lock.split(",") if name])
        ours = [our_bench(), "--bench", "algorithms"]
        environment = {**os.environ, "RANDORI_URDF": urdf, "RANDORI_LOCKED": options.lock}
        rows, sums = {}, set()
        for _ in range(options.turns):
            for command, given in [(ours, None), ([theirs], text)]:
                done = subprocess.run(
                    command, input=given, env=environment, check=True, text=True, stdout=subprocess.PIPE
                )
                for line in done.stdout.splitlines():
                    found = re.fullmatch(r"(.*\S) +least +([\d.]+) .*", line)
                    if found:
                        rows.setdefault(found[1], []).append(float(found[2]))
                    else:
                        sums.add(line)
    print("\n".join(sorted(sums)))
    least = {name: statistics.median(times) for name, times in rows.items()}
    for name, others in PAIRS.items():
        for other in others:
            ratio = least[name] / least[other]
            print(f"{name:<28} {least[name]:6.3f} us   {other:<36} {least[other]:6.3f} us   ratio {ratio:.2f}")


if __name__ == "__main__":
    sys.exit(main())
