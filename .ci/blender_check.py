"""Blender's view of an exported GLB: every character and bone found, animated by one action, skinned,
coloured, and every joint within a millimetre of where we say it is.

    python3 .ci/blender_check.py FILE.glb POSITIONS.json [--tolerance 0.001]

POSITIONS.json is what randori_scene::export::joint_positions writes:
{"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], ...]}}}, metres, +Y up.
Needs the PyPI package bpy.
"""
import argparse
import json
import sys

import bpy


def y_up(point):
    """A point of Blender's world (+Z up) in ours (+Y up)."""
    return point.x, point.z, -point.y


def joint_positions(armature):
    """World positions of all bones' heads in the current frame."""
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = armature.evaluated_get(graph)
    return {bone.name: y_up(evaluated.matrix_world @ bone.head) for bone in evaluated.pose.bones}


def seen_size(obj):
    """The largest extent of an object's evaluated mesh, as the renderer would get it."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    area = sum(triangle.area for triangle in mesh.polygons)
    evaluated.to_mesh_clear()
    return area


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("glb")
    parser.add_argument("positions")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="metres")
    options = parser.parse_args()
    expected = json.load(open(options.positions))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = round(expected["fps"])
    scene.render.fps_base = scene.render.fps / expected["fps"]
    bpy.ops.import_scene.gltf(filepath=options.glb)

    failures = []

    def require(condition, message):
        if not condition:
            failures.append(message)

    armatures = {obj.name: obj for obj in bpy.data.objects if obj.type == "ARMATURE"}
    meshes = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    actions = set()
    worst, n_compared = 0.0, 0
    for name, joints in expected["characters"].items():
        armature = armatures.get(name)
        require(armature is not None, f"no armature named {name}; found {sorted(armatures)}")
        if armature is None:
            continue
        bones = {bone.name for bone in armature.data.bones}
        missing = {f"{name}.{joint}" for joint in joints} - bones
        require(not missing, f"{name}: bones are missing: {sorted(missing)}")
        data = armature.animation_data
        require(data is not None and data.action is not None, f"{name} is not animated")
        if data is not None and data.action is not None:
            actions.add(data.action.name)
            require(data.action_slot is not None, f"{name}: the action has no slot for it")
        skins = [
            mesh for mesh in meshes
            if any(mod.type == "ARMATURE" and mod.object == armature for mod in mesh.modifiers)
        ]
        require(skins, f"{name}: no mesh is skinned to it")
        for skin in skins:
            require(len(skin.vertex_groups) > 0, f"{skin.name}: no vertex groups")
            require(len(skin.data.materials) > 0, f"{skin.name}: no material")
    require(len(actions) <= 1, f"one action was expected for all, found {sorted(actions)}")

    moved = {}
    for at, frame in enumerate(expected["frames"]):
        scene.frame_set(frame)
        for name, joints in expected["characters"].items():
            if name not in armatures:
                continue
            found = joint_positions(armatures[name])
            for joint, positions in joints.items():
                place = found.get(f"{name}.{joint}")
                if place is None:
                    continue
                distance = sum((a - b) ** 2 for a, b in zip(place, positions[at])) ** 0.5
                moved.setdefault(name, []).append(positions[at])
                n_compared += 1
                worst = max(worst, distance)
                require(distance <= options.tolerance,
                        f"{name}.{joint} in frame {frame}: {distance * 1000:.3f} mm off")

    for message in failures[:20]:
        print("FAIL", message)
    print(f"{options.glb}: {len(expected['characters'])} characters, {n_compared} joint positions compared, "
          f"worst {worst * 1000:.4f} mm, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
