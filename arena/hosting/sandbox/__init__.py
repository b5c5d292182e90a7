"""Isolation of bots, from the policy to the bytes passed to the kernel.

``isolation`` defines the levels, ``probes`` tests which of them this machine has, ``confine`` plans
what a level does at the start of a process and ``launcher`` does it, with ``landlock``, ``seccomp``
and ``bubblewrap``. A further level also touches ``process`` and ``program``, ``machine.capacity``
and ``workspace.cells`` here, ``cache`` and ``manifest`` of entrants, ``checkup`` of machines,
``bench`` of authors and ``choices`` of commands.
"""
