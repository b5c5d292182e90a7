"""Views of a stored run: a folder for each thing that people look at.

Public modules, from which other floors may import:

    export.pack, export.proof, export.run, family.junit, family.text, game.check_text,
    game.find, game.reask_text, game.replay, game.screen, game.stepper, game.text,
    game.try_text, game.viewer.document, game.viewer.page, live.read, live.screen,
    live.snapshot, live.text, live.web, live.words, match.bisect, match.calibration_text,
    match.counted_text, match.documents, match.junit, match.markdown, match.plan_text,
    match.text, match.tune_text, match.words, page.choice, page.files, page.games,
    page.gathered, page.render, site.write, standings.asked, standings.costs,
    standings.headline, standings.history, standings.panels, standings.rounds.report_file,
    standings.several, standings.standings, standings.tables, table.course, table.screen,
    table.state, table.text
"""
