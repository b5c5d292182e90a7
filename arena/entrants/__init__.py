"""What is submitted: manifests, folders and their digests, builds, revisions."""
