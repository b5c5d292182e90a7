"""Submitted bots: manifests, folders and their digests, builds, revisions.

Public modules, from which other floors may import:

    build, builtin, cache, engines, entrants, folders, git, manifest, revisions,
    toolchains
"""
