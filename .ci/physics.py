"""Works a run of whole bodies out again with Pinocchio.

    python .ci/physics.py STATES.json ...

Each file is what `randori body dump NAME DIR --states` wrote. For every step kept, Pinocchio's own recursive
Newton-Euler of our states and accelerations must be what drives, springs, gravity and contact forces give; its own
Jacobians carry the forces to the joints, once with each sign for contacts between two bodies. Forces are inside their
friction cones, and what stands does not slip: the next velocity of a sole is zero. Exits with 1 if anything is off.
"""

import json
import sys

import numpy as np
import pinocchio as pin

KINDS = {
    "floating": lambda axis: pin.JointModelFreeFlyer(),
    "spherical": lambda axis: pin.JointModelSpherical(),
    "revolute": lambda axis: pin.JointModelRevoluteUnaligned(np.array(axis)),
    "continuous": lambda axis: pin.JointModelRevoluteUnboundedUnaligned(np.array(axis)),
    "prismatic": lambda axis: pin.JointModelPrismaticUnaligned(np.array(axis)),
}


def build(text, gravity):
    model = pin.Model()
    model.gravity = pin.Motion(np.array(gravity), np.zeros(3))
    for joint in text["joints"]:
        parent = 0 if joint["parent"] is None else joint["parent"] + 1
        place = pin.SE3(np.array(joint["rotation"]), np.array(joint["translation"]))
        model.addJoint(parent, KINDS[joint["kind"]](joint["axis"]), place, joint["name"])
    return model


def weigh(model, inertias):
    for idx, (mass, center, (xx, yy, zz, xy, xz, yz)) in enumerate(inertias):
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.inertias[idx + 1] = pin.Inertia(mass, np.array(center), moments)


def check(path):
    with open(path) as file:
        run = json.load(file)
    models = [build(text, run["gravity"]) for text in run["models"]]
    worst = {"equations of motion": 0.0, "slip (m/s)": 0.0, "friction (N)": 0.0, "centre of mass (N)": 0.0}
    for step in run["steps"]:
        left, rates = [], []
        speeds = []
        for model, body in zip(models, step["bodies"]):
            weigh(model, body["inertias"])
            data = model.createData()
            q, v, a = (np.array(body[key]) for key in ("q", "v", "qdd"))
            needed = pin.rnea(model, data, q, v, a)
            largest = max(1.0, np.abs(pin.rnea(model, data, q, v, np.zeros_like(v))).max())
            left.append([needed - np.array(body["tau"]) - np.array(body["applied"]), largest])
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacements(model, data)
            speeds.append((data, v + run["dt"] * a))
        total, weight = np.zeros(3), 0.0
        for contact in step["contacts"]:
            point = np.array(contact["point"])
            sides = []
            for side, sign in ((contact["on"], 1.0), (contact["with"], -1.0)):
                if side is None or side[1] is None:
                    continue
                idx, joint = side[0], side[1] + 1
                data, after = speeds[idx]
                jacobian = pin.getJointJacobian(models[idx], data, joint, pin.LOCAL_WORLD_ALIGNED)
                arm = point - data.oMi[joint].translation
                at = jacobian.copy()
                at[:3] -= pin.skew(arm) @ jacobian[3:]
                wrench = np.concatenate([contact["force"], contact["moment"]])
                left[idx][0] -= sign * at.T @ wrench
                sides.append(sign * at @ after)
            worst["slip (m/s)"] = max(worst["slip (m/s)"], np.abs(sum(sides)).max())
            force, normal = np.array(contact["force"]), np.array(contact["normal"])
            if not contact["grasp"]:
                push = force @ normal
                over = np.linalg.norm(force - push * normal) - contact["friction"] * push
                worst["friction (N)"] = max(worst["friction (N)"], over)
            if contact["with"] is None:
                total += force
        for rest, largest in left:
            worst["equations of motion"] = max(worst["equations of motion"], np.abs(rest).max() / largest)
        if all(model.joints[1].shortname() == "JointModelFreeFlyer" for model in models):
            for model, body in zip(models, step["bodies"]):
                data = model.createData()
                q, v, a = (np.array(body[key]) for key in ("q", "v", "qdd"))
                pin.centerOfMass(model, data, q, v, a)
                total -= data.mass[0] * (data.acom[0] - np.array(run["gravity"]))
                weight += data.mass[0]
            worst["centre of mass (N)"] = max(worst["centre of mass (N)"], np.abs(total).max())
    return run, worst


# The velocity that drift correction asks for is a tenth of a millimetre per step at most.
LIMITS = {"equations of motion": 1e-6, "slip (m/s)": 0.05, "friction (N)": 1e-6, "centre of mass (N)": 1e-6}


def main():
    good = True
    for path in sys.argv[1:]:
        run, worst = check(path)
        if not run["steps"]:
            print(f"{path}: no steps")
            good = False
        for what, value in worst.items():
            holds = value <= LIMITS[what]
            good &= holds
            print(f"{run['scenario']:>12} {len(run['steps']):>5} steps  {what:<22} {value:.2e}{'' if holds else '  TOO MUCH'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
