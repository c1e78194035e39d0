"""Takes the ways to install packages on other machines out of texts, and reads the names in them."""

import re

# Longer texts stay as they are: a message of a package is short.
LONGEST = 20_000
COMMAND = re.compile(
    r"""(?:(?:[!%]|\$[ ])[ ]*)?(?:\b(?:python[\d.]*|uv)[ ]+)?(?:-m[ ]+)?\b(?:pip3?|conda|mamba)[ ]+install[ ]+"""
    r"""(?:-[cn][ ]+\S+[ ]+|--?(?![cn][ ])\w[\w-]*(?:=\S+)?[ ]+)*["']?(?P<name>[A-Za-z](?:[\w.-]*\w)?)"""
    r"""(?P<more>(?:\[[\w,-]*\])?(?:[<>=!~]=?[^\s"'`,)]+)?)["']?"""
)
SENTENCE = re.compile(
    r"""(?<![ ])[ ]*(?:\b[Pp]lease[ ]+)?\b[Uu]se[ ]+(?:pip|conda)\b(?:(?:,|[ ]or)*[ ](?:pip|conda)\b)*,?"""
    r"""(?:[ ](?:to[ ]install[^\n]*?(?:\.(?=\s|['"]*$)|$)|or\b))?"""
)
# Pyodide's own, which call its installer.
CALL = re.compile(
    r"(?<![^\S\n])(?:\\n|[^\S\n])*(?:On Pyodide you must do )?(?:await )?"
    r"\b(?:pyodide(?:_js)?\.loadPackage|micropip\.install)\(.*?(?=[\"']?$)",
    re.MULTILINE,
)
BARE = re.compile(r"\b(?:pip3?|conda|mamba)[ ]+install\b")
# Words of packages that name another package, which they need.
NAMED = re.compile(
    r"(?:Missing optional dependency '|`Import )([\w.-]+)['`]|^'?([\w.-]+)'? (?:not found, please|is not) install"
    r"|\bwithout ([\w.-]+) installed"
)


def without_installs(text):
    """A text without `pip install`, and without other words of installers."""
    if len(text) > LONGEST or not any(word in text for word in ("install", "pip", "loadPackage")):
        return text
    text = CALL.sub("", text)
    text = SENTENCE.sub("", text)
    text = COMMAND.sub(r"install \g<name>\g<more>", text)
    return BARE.sub("install", text)


def notes_without_installs(notes):
    """The same of an error's notes, which may be anything."""
    if not isinstance(notes, list):
        return notes
    return [without_installs(note) if isinstance(note, str) else note for note in notes]


def named_packages(text, is_import_error):
    """The packages that an error asks for, in lower case; those that it names without a command first."""
    if len(text) > LONGEST:
        return []
    named = [found[1] or found[2] or found[3] for found in NAMED.finditer(text)] if is_import_error else []
    return [name.lower() for name in (*named, *(found["name"] for found in COMMAND.finditer(text)))]
