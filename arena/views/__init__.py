"""Views of stored runs and of games being played: a folder for each thing people look at.

Public modules, from which other floors may import:

    data.card, data.columns, data.parquet, data.source, data.stream, data.write, export.pack,
    export.proof, export.run, game.document, game.find, game.list_text, game.replay, game.rows,
    game.screen, game.stepper, game.text, game.visible, live.read, live.snapshot, live.text,
    live.web, live.words, match.documents, match.question_text, match.text, match.words,
    page.files, page.games, page.html, page.render, page.report, site.folder, site.write,
    standings.asked, standings.headline, standings.history, standings.measured, standings.panels,
    standings.rounds, standings.several, standings.standings, standings.tables, table.course,
    table.text
"""
