"""Submitted bots: manifests, folders and their digests, builds, revisions.

Public modules, from which other rooms may import:

    build, cache, entrants, folders, manifest, revisions, schemes, toolchains
"""
