"""Starter bots in several languages: message loop, types of the messages, first choices.

``languages/NAME.toml`` has the facts of a language, ``templates/NAME/`` its files; the first choice
in a game is in ``kit/`` of that game.

Public modules, from which other rooms may import:

    folder, languages
"""
