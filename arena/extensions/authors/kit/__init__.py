"""Starter bots in several languages: message loop, types of the messages, first choices.

Public modules, from which other floors may import:

    folder, languages
"""
