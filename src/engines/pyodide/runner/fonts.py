"""Finds fonts for the characters that matplotlib's own fonts lack, such as those of Chinese."""

import itertools
import os
import sys

PACKAGES = os.path.dirname(os.path.dirname(__file__))
ENDINGS = (".otf", ".ttc", ".ttf")
MOST_FILES = 20_000  # that are looked at
MOST_SHOWN = 20

_fonts = {}
_found = []  # paths of those with characters that matplotlib's own lack
_without = set()  # characters of this run
_warned = set()  # warnings of this run
_is_fresh = False


def patch_helpers(module):
    """Has the C code of matplotlib tell of characters here, in the place of a warning for each."""
    module.warn_on_missing_glyph = _look_for


def patch_manager(module):
    find = module.FontManager._find_fonts_by_props

    def find_and_add(self, *args, **options):
        return [*find(self, *args, **options), *_found]

    module.FontManager._find_fonts_by_props = find_and_add
    # It warns of a family that is not there at each text.
    module._log.addFilter(_is_new)


def _is_new(record):
    """Whether a warning is the first with its text."""
    text = record.getMessage()
    is_new = text not in _warned
    _warned.add(text)
    return is_new


def patch_canvas(canvas):
    draw = canvas.draw

    def draw_whole(self):
        have_come()
        draw(self)
        if have_come():
            draw(self)

    canvas.draw = draw_whole


def have_come():
    """Whether fonts were found since the last call; then all text is to be measured again."""
    global _is_fresh
    came, _is_fresh = _is_fresh, False
    if came:
        sys.modules["matplotlib.text"]._get_text_metrics_with_cache_impl.cache_clear()
    return came


def take_missing():
    """The characters of this run that no font has, and starts anew; empty if there are none."""
    shown = "".join(sorted(_without)[:MOST_SHOWN])
    _without.clear()
    return shown


def _look_for(code, *_):
    global _is_fresh
    if chr(code) in _without:
        return
    for path, font in _all_fonts().items():
        # Text that does not take a font that was found, such as a formula, goes without.
        if font.get_char_index(code) and (_is_fresh or path not in _found):
            if path not in _found:
                _found.append(path)
            _is_fresh = True
            return
    _without.add(chr(code))


def paths():
    """Files of the code, of mounts and of packages, as far as they are looked at."""
    all_of_them = (
        os.path.join(folder, name)
        for root in ("/workspace", "/mnt", PACKAGES)
        for folder, _, names in os.walk(root)
        for name in names
    )
    return itertools.islice(all_of_them, MOST_FILES)


def _all_fonts():
    """The fonts of files, mounts and packages, by path."""
    if not _fonts:
        from matplotlib.ft2font import FT2Font

        for path in paths():
            if path.lower().endswith(ENDINGS):
                try:
                    _fonts[path] = FT2Font(path)
                except Exception:  # not a font
                    pass
    return _fonts
