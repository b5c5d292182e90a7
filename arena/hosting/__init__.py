"""Start, pin and kill bot processes; no other code does. Knows no rules and no messages.

Public modules, and what other rooms may import from them:

    machine.cgroups
    machine.kernel
    machine.orphans
    machine.procfs
    machine.capacity
        cores
    machine.spawn
        SIGNALS
    machine.usage
        Usage
    process
        BotProcess
    program
        first_line, start_problem
    sandbox.bubblewrap
    sandbox.confine
    sandbox.isolation
        Isolation, IsolationError, Launch, Level, SANDBOX
    sandbox.landlock
    sandbox.paths
        destination, is_installed, is_of_system, is_own, is_seen, program
    sandbox.probes
        Probe, probe, resolve
    sandbox.side_channels
    sandbox.warm
    workspace.cells
        Cell, clear_abandoned, provide, Workspace
    workspace.learning
        FLOOD, Given, LearningFolders
    workspace.trees
        copy_tree, is_foreign, private_folder, remove_tree, Skip, skip_nothing
"""
