"""Blender's view of exported GLBs: every character and bone found, animated by one action, skinned,
coloured, seen when it is there and only then, and every joint within a millimetre of where we say it is.

    python3 .ci/blender_check.py FILE.glb POSITIONS.json [FILE.glb POSITIONS.json ...] [--tolerance 0.001]

POSITIONS.json is what randori_scene::export::joint_positions returns:
{"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], ...]}}}, metres, +Y up.
Needs the PyPI package bpy.
"""
import argparse
import json
import logging
import sys

import bpy


def y_up(point):
    """A point of Blender's world (+Z up) in ours (+Y up)."""
    return point.x, point.z, -point.y


def joint_positions(armature):
    """World positions of all bones' heads in the current frame."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: y_up(evaluated.matrix_world @ bone.head) for bone in evaluated.pose.bones}


def seen_area(obj):
    """The area of an object's surface in the current frame [m²], deformed as it would be drawn."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    area = sum(polygon.area for polygon in mesh.polygons)
    evaluated.to_mesh_clear()
    return area


def base_color(material):
    shaders = [node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"]
    return shaders[0] if shaders else None


def check(glb, positions, tolerance):
    """What is wrong with a file, as a list of sentences."""
    expected = json.load(open(positions))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = round(expected["fps"])
    scene.render.fps_base = scene.render.fps / expected["fps"]
    bpy.ops.import_scene.gltf(filepath=glb)

    failures = []

    def require(condition, message):
        if not condition:
            failures.append(message)
        return condition

    armatures = {obj.name: obj for obj in bpy.data.objects if obj.type == "ARMATURE"}
    meshes = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    skins, actions = {}, set()
    for name, joints in expected["characters"].items():
        armature = armatures.get(name)
        if not require(armature is not None, f"no armature named {name}; found {sorted(armatures)}"):
            continue
        missing = {f"{name}.{joint}" for joint in joints} - {bone.name for bone in armature.data.bones}
        require(not missing, f"{name}: bones are missing: {sorted(missing)}")
        data = armature.animation_data
        if require(data is not None and data.action is not None, f"{name} is not animated"):
            actions.add(data.action.name)
            require(data.action_slot is not None, f"{name}: the action has no slot for it")
        skins[name] = [
            mesh for mesh in meshes
            if any(modifier.type == "ARMATURE" and modifier.object == armature for modifier in mesh.modifiers)
        ]
        require(skins[name], f"{name}: no mesh is skinned to it")
        for skin in skins[name]:
            require(len(skin.vertex_groups) > 0, f"{skin.name}: no vertex groups")
            require(all(map(base_color, skin.data.materials)) and len(skin.data.materials) > 0,
                    f"{skin.name}: no colour")
    require(len(actions) == 1, f"one action was expected for all, found {sorted(actions)}")

    worst, n_compared = 0.0, 0
    for at, frame in enumerate(expected["frames"]):
        scene.frame_set(frame)
        for name, joints in expected["characters"].items():
            if name not in armatures:
                continue
            found = joint_positions(armatures[name])
            for joint, track in joints.items():
                place = found.get(f"{name}.{joint}")
                if place is None:
                    continue
                distance = sum((a - b) ** 2 for a, b in zip(place, track[at])) ** 0.5
                n_compared += 1
                worst = max(worst, distance)
                require(distance <= tolerance, f"{name}.{joint} in frame {frame}: {distance * 1000:.3f} mm off")
            span, seconds = armatures[name]["randori"], frame / expected["fps"]
            is_there = span["enter"] - 1e-6 <= seconds <= span["exit"] + 1e-6
            # Between its last pose and the moment it is gone a character may be either.
            for skin in skins[name]:
                area = seen_area(skin)
                if is_there:
                    require(area > 0.01, f"{name} cannot be seen in frame {frame}: {area} m²")
                elif seconds < span["enter"] or seconds > span["exit"] + 0.1:
                    require(area < 1e-4, f"{name} is seen in frame {frame} though it is not there: {area} m²")

    print(f"{'FAIL' if failures else 'ok  '} {glb}: {len(expected['characters'])} characters, "
          f"{n_compared} joint positions compared, worst {worst * 1000:.4f} mm")
    for message in failures[:20]:
        print("    ", message)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE.glb POSITIONS.json")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="metres")
    options = parser.parse_args()
    if len(options.files) % 2:
        parser.error("files come in pairs: a GLB and its positions")
    logging.disable(logging.INFO)
    pairs = list(zip(options.files[::2], options.files[1::2]))
    n_bad = sum(bool(check(glb, positions, options.tolerance)) for glb, positions in pairs)
    print(f"{len(pairs)} files, {n_bad} with failures")
    sys.exit(1 if n_bad else 0)


if __name__ == "__main__":
    main()
