"""What is handed in with a ``build`` script, and who has built it in the end."""

from pathlib import Path

from kit import main, play, tell


def is_built_by_another():
    """Its files were handed in a second time, before it, with a script that builds another."""
    maker = Path("built_by").read_text("utf-8").strip()

    def start(message):
        tell("ok" if maker == "another" else "blocked", f"built by {maker}")

    play(start=start)


if __name__ == "__main__":
    main(globals())
