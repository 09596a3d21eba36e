"""python -m bnjit is the command line."""

from bnjit.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
