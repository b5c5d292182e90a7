"""Submitted bots: manifests, folders and their digests, a cache of builds and revisions.

Public modules, from which other rooms may import:

    cache, entrants, folders, manifest, names, toolchains
"""
