import os

if _place := os.environ.get("ARENA_TESTS_PROC"):  # see ``tests.posix``
    import psutil

    psutil.PROCFS_PATH = _place
