"""What measurements were made with: processor, memory, versions, and the code itself."""

import ast
import functools
import hashlib
import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bnjit import __version__

PACKAGES = ("numpy", "numba", "pandas", "pyarrow", "networkx", "matplotlib")
# Code that cannot change a measurement: drawings, pages, the command line; then the exceptions in it.
NOT_MEASURED = ("plots", "paper", "cli", "result.py", "complexity")
MEASURED_IN_PAPER = ("paper/measure.py", "paper/sources.py", "paper/timing.py")
# Code that decides which network is learned from given rows.
LEARNING = ("data", "graph", "kernels", "options", "scores", "search", "stats")


@functools.lru_cache
def machine() -> dict[str, str]:
    """Processor, cores, memory and operating system."""
    return {
        "processor": _processor(), "cores": str(os.cpu_count() or 1), "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
    }  # fmt: skip


@functools.lru_cache
def versions() -> dict[str, str]:
    """Versions of bnjit, Python and the packages that matter for speed and figures."""
    found = {"bnjit": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "?"
    return found


@functools.lru_cache
def fingerprint() -> str:
    """Version with a checksum of the measured code and its compiler; times of different code are never mixed."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256(" ".join(versions()[name] for name in ("python", "numpy", "numba")).encode())
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] not in NOT_MEASURED or name in MEASURED_IN_PAPER:
            digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"


@functools.lru_cache
def learning_fingerprint() -> str:
    """Version with a checksum of the code that learns; comments and docstrings, which change nothing, do not count."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(file for name in LEARNING for file in (folder / name).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        digest.update(f"{path.relative_to(folder).as_posix()}\n{ast.unparse(tree)}\n".encode())
    return f"{__version__}+{digest.hexdigest()[:8]}"


@functools.lru_cache
def commit() -> str | None:
    """Commit of the checkout that the code is in; None if it is in none, or git does not tell."""
    folder = Path(__file__).parents[2]
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    asked = [[git, "-C", str(folder), "rev-parse", "--short=12", "HEAD"],
             [git, "-C", str(folder), "status", "--porcelain", "--", "bnjit"]]  # fmt: skip
    head, changes = (subprocess.run(words, capture_output=True, text=True, check=False) for words in asked)
    if head.returncode:
        return None
    return head.stdout.strip() + (", with changes that are not committed" if changes.stdout.strip() else "")


def summary() -> str:
    """The machine on one line, as measurements are marked with it."""
    facts = machine()
    return f"{facts['processor']}, {facts['cores']} cores, {facts['memory']}"


def load() -> float | None:
    """Load average of the last minute, our own threads included; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    if platform.system() == "Darwin":
        asked = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.stdout.strip():
            return done.stdout.strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return "memory unknown"
    return f"{size / 2**30:.0f} GB"
