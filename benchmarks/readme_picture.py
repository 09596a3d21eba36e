"""The picture at the top of the README: the network of 344 penguins, with gaps (pip install palmerpenguins).

python benchmarks/readme_picture.py [--out figures]
"""

import argparse
from pathlib import Path

import bnjit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("figures"), help="folder for the picture (default figures)")
    arguments = parser.parse_args()
    import matplotlib as mpl
    import palmerpenguins

    mpl.use("Agg")
    result = bnjit.learn(palmerpenguins.load_penguins(), missing="em", progress=False)
    result.plot().figure.savefig(arguments.out / "penguins.png", dpi=150)


if __name__ == "__main__":
    main()
