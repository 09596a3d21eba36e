"""Files of tables that bnjit does not read, and what does."""

from pathlib import Path

_PANDAS = {
    "read_excel": (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"),
    "read_spss": (".sav", ".zsav"),
    "read_stata": (".dta",),
    "read_sas": (".sas7bdat", ".xpt"),
    "read_hdf": (".h5", ".hdf", ".hdf5"),
    "read_orc": (".orc",),
    "read_pickle": (".pkl", ".pickle"),
    "read_json": (".json",),
    "read_xml": (".xml",),
    "read_html": (".html", ".htm"),
}
_WAYS = {suffix: f"give pandas.{reader}(path)" for reader, suffixes in _PANDAS.items() for suffix in suffixes}
_WAYS |= dict.fromkeys((".jsonl", ".ndjson"), "give pandas.read_json(path, lines=True)")
_WAYS |= dict.fromkeys((".db", ".sqlite", ".sqlite3"), "give the DataFrame of pandas.read_sql")
_WAYS |= dict.fromkeys(
    (".rds", ".rda", ".rdata"), "write the table in R, with write.csv(table, file, row.names = FALSE), and give that"
)
_WAYS[".npy"] = "give numpy.load(path), and names="
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def way_to_read(path: Path) -> str | None:
    """What to do with a file that bnjit does not read, by its name; None if that says nothing.

    Examples
    --------
    >>> way_to_read(Path("survey.xlsx"))
    'give pandas.read_excel(path)'
    """
    named = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    return _WAYS.get(named.suffix.lower())
