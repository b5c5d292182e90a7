"""Submitted bots: manifests, folders and their digests, builds, revisions.

Public modules, from which other floors may import:

    build, cache, digest, entrants, folders, git, history, keys, manifest, needs, revisions,
    toolchains
"""
