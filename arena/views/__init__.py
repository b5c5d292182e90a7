"""Views of stored runs: a folder for each thing people look at.

Public modules, from which other rooms may import:

    cells, game.find, game.list_text, game.replay, game.rows, game.text, last_words,
    standings.asked, standings.counted, standings.headline, standings.measured,
    standings.ratings_table, standings.run_view, standings.standings, standings.tables, tables
"""
