"""Goldens: what every command prints and writes, on a few fixed runs.

``expected/RUN/…`` holds a file for each command line (the line, its exit code, what it printed)
and for each file that a command wrote. One test compares each with what is printed and written
now; ``test_goldens.py`` says how. Nothing else is asserted here: whether an output is *right* is
the matter of other tests. These tell whether it is the *same*.

To refresh, from the project's folder::

    python -m tests.goldens                 # all of them
    python -m tests.goldens duel match      # only these runs
    git diff --stat tests/goldens/expected  # what changed; then look at the diff itself

A change on purpose is committed together with the goldens it changes, and the diff is read like
code: what is in it and was not meant is a bug. Files that no command makes any more are removed by
the same script. To see all of a long text, of which a golden keeps the beginning, the end and a
digest of the rest, write it elsewhere, before and after the change, and compare the folders::

    python -m tests.goldens --whole /tmp/before

The runs are played by scripted bots (``bots.py``) with fixed seeds. What differs from machine to
machine or from one time to the next is replaced by the patterns of ``normal.py``, which are few on
purpose: scores, ratings, errors, counts and verdicts stay as they are.

``runs.py`` lists the runs and what is called on each; a new command line is one line there.
"""
