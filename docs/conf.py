"""Sphinx: the site is built from Markdown that can be read as it is, docstrings and notebooks with their outputs.

The source folder is the repository, so that links between README, docs, benchmarks and notebooks hold on the site too.
"""

from pathlib import Path
from typing import Any

import bnjit

project = "bnjit"
author = "The bnjit developers"
copyright = "The bnjit developers, MIT licence"
version = release = bnjit.__version__

extensions = [
    "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_nb",
]  # fmt: skip
root_doc = "docs/index"
include_patterns = [
    "docs/**", "benchmarks/README.md", "notebooks/*.ipynb", "CHANGELOG.md", "CONTRIBUTING.md", "README.md",
]  # fmt: skip
exclude_patterns = ["docs/_build/**", "docs/_templates/**", "notebooks/output/**"]
templates_path = [str(Path(__file__).with_name("_templates"))]
default_role = "py:obj"  # what stands between backticks is linked where it is a public name

# Pages: anchors as GitHub makes them. Notebooks lie there with their outputs, and are not run.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "off"

# Reference: a page for each public name, made when the site is built.
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = f"bnjit {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("docs/index", "docs/coming-from", "docs/gallery")}  # without pages below them
html_context = {"default_mode": "auto"}  # light or dark, as the reader's screen; the theme complains where none is set
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: Any) -> None:
    """Make the page of the gallery with today's code, into what is built."""
    app.connect("build-finished", make_pages)


def make_pages(app: Any, error: Exception | None) -> None:
    """Write the pages that others show in frames."""
    if error is None and app.builder.format == "html":
        bnjit.datasets.mehra_like().explore(Path(app.outdir) / "_static" / "mehra.html")
