"""OpenSpiel's games; written by ``python -m docs.tools.openspiel_games``."""

from typing import Final, NamedTuple


class KnownGame(NamedTuple):
    """One game: what is known without OpenSpiel."""

    title: str
    seats: tuple[int, ...] = ()
    scale: int = 1
    reason: str = ""
    """Why it cannot be played; empty if it can."""


GAMES: Final = {
    "2048": KnownGame("2048", (1,)),
    "add_noise": KnownGame(
        "Add noise to terminal utilities.",
        reason="it changes another game, which an option cannot name",
    ),
    "amazons": KnownGame("Amazons", (2,)),
    "antichess": KnownGame("Antichess (Losing Chess)", (2,)),
    "backgammon": KnownGame("Backgammon", (2,)),
    "banqi": KnownGame("Banqi", (2,)),
    "bargaining": KnownGame("Bargaining", (2,)),
    "battleship": KnownGame("Battleship", (2,)),
    "blackjack": KnownGame("Blackjack", (1,)),
    "blotto": KnownGame("Blotto", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "breakthrough": KnownGame("Breakthrough", (2,)),
    "bridge": KnownGame("Contract Bridge", (4,)),
    "bridge_uncontested_bidding": KnownGame(
        "Bridge: Uncontested Bidding",
        reason="its chance is drawn inside of OpenSpiel, not by the deal",
    ),
    "cached_tree": KnownGame(
        "Cached Tree Game Transform", reason="it changes another game, which an option cannot name"
    ),
    "capture_the_flag": KnownGame("Capture the Flag", (2,)),
    "catch": KnownGame("Catch", (1,)),
    "checkers": KnownGame("Checkers", (2,)),
    "chess": KnownGame("Chess", (2,)),
    "chinese_checkers": KnownGame("Chinese Checkers", (2, 3, 4, 6)),
    "cliff_walking": KnownGame("CliffWalking", (1,)),
    "clobber": KnownGame("Clobber", (2,)),
    "coin_game": KnownGame("The Coin Game", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
    "colored_trails": KnownGame("Colored Trails", (3,)),
    "connect_four": KnownGame("Connect Four", (2,)),
    "coop_box_pushing": KnownGame("Cooperative Box Pushing", (2,), 1000),
    "coop_to_1p": KnownGame(
        "Cooperative Game As Single-Player",
        reason="it changes another game, which an option cannot name",
    ),
    "coordinated_mp": KnownGame("Coordinated Matching Pennies", (2,)),
    "crazy_eights": KnownGame("Crazy Eights", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
    "crazyhouse": KnownGame("Crazyhouse", (2,)),
    "cribbage": KnownGame("Cribbage", (2, 3, 4)),
    "crossword": KnownGame("crossword", reason="its actions have no numbers"),
    "cursor_go": KnownGame("Cursor Go", (2,)),
    "dark_chess": KnownGame("Dark Chess", (2,)),
    "dark_hex": KnownGame("Dark Hex", (2,)),
    "dark_hex_ir": KnownGame("Dark Hex with Imperfect Recall", (2,)),
    "deep_sea": KnownGame("DeepSea", (1,), 1000),
    "dots_and_boxes": KnownGame("Dots and Boxes", (2,)),
    "dou_dizhu": KnownGame("Dou Dizhu", (3,)),
    "efg_game": KnownGame("efg_game", reason="it needs a file or parameters without a default"),
    "einstein_wurfelt_nicht": KnownGame("einstein_wurfelt_nicht", (2,)),
    "euchre": KnownGame("Euchre", (4,)),
    "first_sealed_auction": KnownGame(
        "First-Price Sealed-Bid Auction", (2, 3, 4, 5, 6, 7, 8, 9, 10)
    ),
    "gin_rummy": KnownGame("Gin Rummy", (2,)),
    "go": KnownGame("Go", (2,)),
    "go_fish": KnownGame("Go Fish", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "gomoku": KnownGame("Gomoku", (2,)),
    "goofspiel": KnownGame("Goofspiel", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "hanabi": KnownGame("Hanabi", (2, 3, 4, 5)),
    "havannah": KnownGame("Havannah", (2,)),
    "hearts": KnownGame("Hearts", (4,)),
    "hex": KnownGame("Hex", (2,)),
    "hive": KnownGame("Hive", (2,)),
    "kriegspiel": KnownGame("Kriegspiel", (2,)),
    "kuhn_poker": KnownGame("Kuhn Poker", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
    "laser_tag": KnownGame("Laser Tag", (2,)),
    "latent_ttt": KnownGame("Latent Tic Tac Toe", (2,)),
    "leduc_poker": KnownGame("Leduc Poker", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "lewis_signaling": KnownGame("Lewis Signaling Game", (2,)),
    "liars_dice": KnownGame("Liars Dice", (2,)),
    "liars_dice_ir": KnownGame("Liars Dice with Imperfect Recall", (2,)),
    "lines_of_action": KnownGame("Lines of Action", (2,)),
    "maedn": KnownGame("Mensch-Aergere-Dich-Nicht", (2, 3, 4)),
    "mancala": KnownGame("Mancala", (2,)),
    "markov_soccer": KnownGame("Markov Soccer", (2,)),
    "matching_pennies_3p": KnownGame("Three-Player Matching Pennies", (3,)),
    "matrix_bos": KnownGame("Bach or Stravinsky", (2,)),
    "matrix_brps": KnownGame("Biased Rock, Paper, Scissors", (2,)),
    "matrix_cd": KnownGame("Chicken-Dare", (2,)),
    "matrix_coordination": KnownGame("Coordination", (2,)),
    "matrix_mp": KnownGame("Matching Pennies", (2,)),
    "matrix_pd": KnownGame("Prisoner's Dilemma", (2,)),
    "matrix_rps": KnownGame("Rock, Paper, Scissors", (2,)),
    "matrix_rpsw": KnownGame("Rock, Paper, Scissors, Water", (2,)),
    "matrix_sh": KnownGame("Stag Hunt", (2,)),
    "matrix_shapleys_game": KnownGame("Shapley's Game", (2,)),
    "mfg_crowd_modelling": KnownGame(
        "Mean Field Crowd Modelling", reason="it is a mean field game: one player and a population"
    ),
    "mfg_crowd_modelling_2d": KnownGame(
        "Mean Field Crowd Modelling 2D",
        reason="it is a mean field game: one player and a population",
    ),
    "mfg_dynamic_routing": KnownGame(
        "Cpp Mean Field Dynamic Routing",
        reason="it is a mean field game: one player and a population",
    ),
    "mfg_garnet": KnownGame(
        "Mean Field Garnet", reason="it is a mean field game: one player and a population"
    ),
    "misere": KnownGame(
        "Misere Version of a Regular Game",
        reason="it changes another game, which an option cannot name",
    ),
    "mnk": KnownGame("m,n,k-game", (2,)),
    "morpion_solitaire": KnownGame("Morpion Solitaire", (1,)),
    "negotiation": KnownGame(
        "Negotiation", reason="its chance is drawn inside of OpenSpiel, not by the deal"
    ),
    "nfg_game": KnownGame("nfg_game", reason="it needs a file or parameters without a default"),
    "nim": KnownGame("Nim", (2,)),
    "nine_mens_morris": KnownGame("Nine men's morris", (2,)),
    "normal_form_extensive_game": KnownGame(
        "Normal-Form Version of an Extensive Game",
        reason="it changes another game, which an option cannot name",
    ),
    "oh_hell": KnownGame("Oh Hell!", (3, 4, 5, 6, 7)),
    "oshi_zumo": KnownGame("Oshi Zumo", (2,)),
    "othello": KnownGame("Othello", (2,)),
    "oware": KnownGame("Oware", (2,)),
    "pathfinding": KnownGame("Pathfinding", (1,), 1000),
    "pentago": KnownGame("Pentago", (2,)),
    "phantom_go": KnownGame("Phantom Go", (2,)),
    "phantom_ttt": KnownGame("Phantom Tic Tac Toe", (2,)),
    "phantom_ttt_ir": KnownGame("Phantom Tic Tac Toe with Imperfect Recall", (2,)),
    "pig": KnownGame("Pig", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "quoridor": KnownGame("Quoridor", (2, 3, 4), 1000),
    "rbc": KnownGame("Reconnaissance Blind Chess", (2,)),
    "repeated_game": KnownGame(
        "Repeated Normal-Form Game", reason="it changes another game, which an option cannot name"
    ),
    "repeated_leduc_poker": KnownGame("Repeated Leduc Poker", (2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "repeated_poker": KnownGame(
        "Repeated Poker", reason="it changes another game, which an option cannot name"
    ),
    "restricted_nash_response": KnownGame(
        "Restricted Nash Response Modification of a Game",
        reason="it changes another game, which an option cannot name",
    ),
    "sheriff": KnownGame("Sheriff", (2,)),
    "shogi": KnownGame("Shogi", (2,)),
    "skat": KnownGame("Skat", (3,), 1000),
    "snake": KnownGame("Snake", (2, 4)),
    "social_deduction": KnownGame("Social Deduction", (3, 4, 5, 6, 7, 8, 9, 10)),
    "solitaire": KnownGame("Klondike Solitaire", (1,)),
    "spades": KnownGame("Partnership Spades", (4,)),
    "start_at": KnownGame(
        "Start at specified subgame of a regular game.",
        reason="it changes another game, which an option cannot name",
    ),
    "stones_and_gems": KnownGame(
        "Stones and Gems", reason="its chance is drawn inside of OpenSpiel, not by the deal"
    ),
    "tarok": KnownGame(
        "Slovenian Tarok", reason="its chance is drawn inside of OpenSpiel, not by the deal"
    ),
    "tic_tac_toe": KnownGame("Tic Tac Toe", (2,)),
    "tiny_bridge_2p": KnownGame("Tiny Bridge (Uncontested)", (2,), 1000),
    "tiny_bridge_4p": KnownGame("Tiny Bridge (Contested)", (4,)),
    "tiny_hanabi": KnownGame("Tiny Hanabi", (2,)),
    "trade_comm": KnownGame("Trading and Communication", (2,)),
    "turn_based_simultaneous_game": KnownGame(
        "Turn-Based Version of a Simultaneous-Move Game",
        reason="it changes another game, which an option cannot name",
    ),
    "twixt": KnownGame("TwixT", (2,)),
    "ultimate_tic_tac_toe": KnownGame("Ultimate Tic-Tac-Toe", (2,)),
    "universal_poker": KnownGame("Universal Poker", (2,)),
    "xiangqi": KnownGame("Chinese Chess (Xiangqi)", (2,)),
    "y": KnownGame("Y Connection Game", (2,)),
    "yacht": KnownGame("Yacht", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 1000),
    "zerosum": KnownGame(
        "ZeroSum Version of a Regular Game",
        reason="it changes another game, which an option cannot name",
    ),
}
