"""Submitted bots: manifests, folders and their digests, builds, revisions."""
