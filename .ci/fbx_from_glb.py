"""Makes an FBX file out of a GLB with Blender, for our FBX reader to be tried on.

    python3 .ci/fbx_from_glb.py IN.glb OUT.fbx [--fps 60]

Needs the PyPI package bpy.
"""
import argparse

import bpy

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("glb")
parser.add_argument("fbx")
parser.add_argument("--fps", type=int, default=60)
options = parser.parse_args()

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = options.fps
bpy.ops.import_scene.gltf(filepath=options.glb)
ends = [action.frame_range[1] for action in bpy.data.actions]
scene.frame_start, scene.frame_end = 0, round(max(ends, default=0))
# One stack for the whole scene, every frame of it, nothing simplified.
bpy.ops.export_scene.fbx(
    filepath=options.fbx,
    object_types={"ARMATURE", "MESH", "EMPTY"},
    add_leaf_bones=False,
    bake_anim=True,
    bake_anim_use_nla_strips=False,
    bake_anim_use_all_actions=False,
    bake_anim_simplify_factor=0.0,
)
