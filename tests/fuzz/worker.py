"""A process that reads mutated files one after the other: python -m tests.fuzz.worker FILE READER FIRST LAST FOLDER.

Before each case it prints its number and how many files were read and refused so far, so that whoever started it knows
which one ended it, and a line for every error that is not bnjit's own. Memory and time of a case are limited.
"""

import faulthandler
import signal
import sys
import traceback
import warnings
from pathlib import Path

from bnjit import BnjitError
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS

MORE_MEMORY = 2 << 30  # bytes that a case may take beside what is there
SECONDS = 20  # that a case may take


class TooLong(BaseException):
    """A case did not end."""


def main(good: str, name: str, first: int, last: int, folder: str) -> None:
    import resource  # which only Unix has

    faulthandler.enable()
    warnings.simplefilter("ignore")
    reader, content = READERS[name], Path(good).read_bytes()
    path = Path(folder) / reader.name
    path.write_bytes(content)
    reader.read(path)  # compiles what is needed, and shows that the good file is good
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MORE_MEMORY, taken + MORE_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _too_long)
    read = refused = 0
    for number in range(first, last):
        _say(f"CASE {number} {read} {refused}")
        path.write_bytes(mutated(content, number))
        signal.alarm(SECONDS)
        try:
            reader.read(path)
            read += 1
        except BnjitError as error:
            refused += 1
            _check_message(number, error)
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            _say(f"LEAK {number} {type(error).__name__}: {str(error)[:150]!r} at {where.filename}:{where.lineno}")
        finally:
            signal.alarm(0)
    _say(f"CASE {last} {read} {refused}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _too_long(*_: object) -> None:
    raise TooLong


def _check_message(number: int, error: BnjitError) -> None:
    if not str(error).strip() or len(str(error)) > 2000:
        _say(f"LEAK {number} the message of {type(error).__name__} has {len(str(error))} characters")


if __name__ == "__main__":
    good, name, first, last, folder = sys.argv[1:]
    main(good, name, int(first), int(last), folder)
