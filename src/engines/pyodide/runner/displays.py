"""The display of a run: pictures and pages go to the host, texts to stdout.

The host has the same limits and believes none of this; here they are for what is
too large to be made smaller, and what is left out to be said.
"""

import base64
import io
import math
import re
import sys
import traceback
import weakref
from json.encoder import encode_basestring

from . import charts, fonts, pages
from .display_limits import Tally, note
from .hints import for_shell
from .values import RULES, attempt, guest_frames, has_no_form, table_form, well_formed

# Larger ones are refused by makers of models, or take the memory of a run.
MOST_PIXELS = 2**23
LONGEST_SIDE = 8000
SMALLEST = 0.1  # of its own size, a picture of a small part of that says nothing
MARGIN = 0.1  # around a figure, in inches
STILL = {"rectilinear", "polar"}  # axes that drawing does not move, as it moves those in 3D
LARGER = 1.5  # than a figure may be what is drawn in it
PNG_MODES = {"1", "L", "LA", "I", "I;16", "P", "RGB", "RGBA"}
CONVERTED = {"La": "LA", "RGBa": "RGBA", "PA": "RGBA"}  # all other modes: RGB
LONGEST_REASON = 500

# Forms of an object, the richest first, by the method that gives them.
FORMS = {
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_svg_": "image/svg+xml",
    "_repr_markdown_": "text/markdown",
    "_repr_html_": "text/html",
}
STARTS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
# More kinds that clients take, by what a file of them has at the places.
MORE_STARTS = {
    "image/gif": {0: b"GIF8"},
    "image/webp": {0: b"RIFF", 8: b"WEBP"},
    "audio/wav": {0: b"RIFF", 8: b"WAVE"},
    "audio/ogg": {0: b"OggS"},
    "audio/flac": {0: b"fLaC"},
    "audio/mpeg": {0: b"ID3"},
}
MP3_FRAMES = (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")
PARTS = {}  # functions that give the parts of an object, texts and media, by its class; others add theirs
PYLAB = "matplotlib._pylab_helpers"
MOST_DEPTH = 4  # of lists in which plotting functions give what they draw
# A repr that names a class and nothing else.
NOTHING = re.compile(r"<[\w.<>]+ object( at 0x[\da-f]+)?>")

_send = None
_figures = weakref.WeakKeyDictionary()
_PAGE = object()  # in the place of the text of a value that is on a page


_pictures = Tally("picture", "", "Make a smaller one.")
_pages = Tally("page", " (--max-html)", "Show less data on it.")


def connect(send):
    """Takes the worker's end of the line; before that, nothing is shown."""
    global _send
    _send = send


def limit(pictures, pages):
    """Counts anew, with the limits of each: the count, the bytes of one and of all."""
    _pictures.limit(**pictures)
    _pages.limit(**pages)


def have_shown():
    return _pictures.shown + _pages.shown > 0


def forget_figures():
    """Closes the figures that the runs before have left open, as notebooks do; all can be shown again."""
    _figures.clear()
    attempt(lambda module: module and module.Gcf.destroy_all(), sys.modules.get(PYLAB), otherwise=_none)


def display(*objects):
    """Shows objects in their richest form: as pictures or pages, or else as text."""
    for it in objects:
        text = _show(it, show_figure)
        if text is not None:
            print(text)


def finish(value):
    """Ends a run: shows its value and the open figures, and gives the value to return; tells errors, raises none."""
    for figure in attempt(_open_figures, None, otherwise=lambda _: []):
        _show(figure, show_changed)
    text = _show(value, show_changed, at_end=True)
    if text is _PAGE or _pictures.shown and attempt(_is_drawn, value, otherwise=_none):
        value = text = None  # the page or the picture says more
    if missing := fonts.take_missing():
        start = f"No font here has {missing}: boxes are drawn instead. Write it in Latin letters, "
        note(
            for_shell(
                f"{start}send a font (.ttf, .otf) with the call (files), "
                "or ask the user to mount a folder of fonts with --mount.",
                f"{start}or show a folder of fonts (.ttf, .otf) with --mount.",
            )
        )
    _pictures.end()
    _pages.end()
    return value if text is None else text


def show_changed(figure):
    """Shows a figure, unless it was shown as it is."""
    before = _figures.get(figure)
    if figure.stale or before is None:
        show_figure(figure, before)


def show_figure(figure, before=None):
    """Shows a figure, unless its picture hashes as that before."""
    made = b""
    own_dpi = figure.dpi
    width, height = figure.get_size_inches()
    moves = figure.get_layout_engine() or any(axes.name not in STILL for axes in figure.axes)

    def encode(scale):
        nonlocal made
        figure.dpi = own_dpi * scale
        if moves:
            figure.draw_without_rendering()
        box = figure.get_tightbbox()
        if fonts.have_come():
            box = figure.get_tightbbox()
        box = box.padded(MARGIN)
        if not (0 < box.width < LARGER * width and 0 < box.height < LARGER * height):
            box = figure.bbox_inches  # a text far outside, or nothing at all
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=own_dpi * scale, bbox_inches=box.frozen())
        made = file.getvalue()
        return made

    try:
        _show_scaled(width * own_dpi, height * own_dpi, encode, before)
    finally:
        figure.dpi = own_dpi
        _figures[figure] = hash(made)
        figure.stale = False


def show_image(image):
    def encode(scale):
        made = image
        if scale < 1:
            size = [max(1, round(side * scale)) for side in image.size]
            made = image.resize(size, reducing_gap=2.0)
        if made.mode not in PNG_MODES:
            made = made.convert(CONVERTED.get(made.mode, "RGB"))
        file = io.BytesIO()
        made.save(file, "PNG")
        return file.getvalue()

    _show_scaled(*image.size, encode)


def _show(value, show_figure, at_end=False):
    """Shows the picture or page of an object; gives its text if it has none, and at the end only one that says more than its repr."""
    try:
        if type(value) in PARTS:
            for part in PARTS[type(value)](value):
                if not isinstance(part, str):
                    _show_media(part)
                elif not at_end:
                    print(part)
            return None
        if at_end and (type(value) in RULES or table_form(value)):
            return None  # most values are data, and nothing else
        if figure := _figure_of(value):
            return show_figure(figure)
        if _is_a("PIL.Image", "Image", value):
            return show_image(value)
        if kind := attempt(charts.kind_of, value, otherwise=_none):
            return _show_page(value, kind, at_end)
        with guest_frames():
            mime_type, data = _form(value)
            if mime_type is None or mime_type == "text/markdown":
                if not at_end:
                    return well_formed(str(value) if data is None else data)
                return data if data is not None and has_no_form(value) else None
        if mime_type == "text/html":
            return _show_page(value, pages.kind_of_html(data), at_end)
        return _show_encoded(mime_type, data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _note_failure(value, error)


def _show_page(value, kind, at_end):
    """Shows a page; gives for a value at the end, in its place, what is said about it unless it was shown."""
    made = ""
    try:
        if _pages.may_show_more():
            made = kind.to_html(value)
        if len(made) <= _pages.room:
            made = pages.put_in(made)
            told = pages.about(kind, value, made)
        else:
            told = pages.about(kind, value)
        is_again = at_end and hash(made) in _pages.hashes
        if made and (is_again or _post_page(made, pages.title_of(kind, value), told)):
            _pages.hashes.add(hash(made))
            return _PAGE if at_end else None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        told = pages.about(kind, value)
        _note_failure(value, error)
    return told if at_end else None


def _post_page(markup, title, about):
    """Whether there is room for a page, which is sent then."""
    size = len(markup)
    if size <= _pages.room:
        markup = pages.clean(markup)
        size = len(markup.encode())
    if size > _pages.room:
        _pages.leave_out(size)
        return False
    _pages.shown += 1
    _pages.taken += size
    if _send is not None:
        _send("text/html", markup, title, about)
    return True


def _note_failure(value, error):
    name = attempt(lambda it: type(it).__name__, value, otherwise=lambda _: "object")
    note(f"This {name} could not be shown: {_reason(error)}")


def _open_figures(_):
    module = sys.modules.get(PYLAB)
    managers = module.Gcf.get_all_fig_managers() if module else []
    return [it.canvas.figure for it in sorted(managers, key=lambda it: it.num)]


def _figure_of(value):
    """A figure of matplotlib, also that of its axes."""
    if _is_a("matplotlib.figure", "Figure", value):
        return value
    return value.figure.figure if _is_a("matplotlib.axes", "Axes", value) else None


def _is_drawn(value):
    """Whether a value is what functions of plots give: parts of a figure, also in lists, or beside what they show."""
    drawn, numbers = [], []
    for part in _parts(value):
        if _is_a("matplotlib.artist", "Artist", part):
            drawn.append(part)
        elif type(value) is tuple and _is_a("numpy", "ndarray", part):
            numbers.append(part)  # of a histogram, say
        else:
            return False
    return bool(drawn) and not (numbers and any(map(_figure_of, drawn)))


def _parts(value, depth=0):
    items = None
    if issubclass(type(value), list):
        items = list.__iter__(value)
    elif issubclass(type(value), tuple):  # a container of bars, too
        items = tuple.__iter__(value)
    elif issubclass(type(value), dict):
        items = dict.values(value)
    elif _is_a("numpy", "ndarray", value) and value.dtype.hasobject:
        items = value.flat
    if items is None or depth == MOST_DEPTH:
        yield value
    else:
        for item in items:
            yield from _parts(item, depth + 1)


def _is_a(module, name, value):
    module = sys.modules.get(module)
    return bool(module) and issubclass(type(value), getattr(module, name))


def _form(value):
    """The type and the data of the richest form that an object has."""
    bundle = _call(value, "_repr_mimebundle_", include=None, exclude=None)
    if issubclass(type(bundle), tuple) and bundle:
        bundle = bundle[0]
    if not issubclass(type(bundle), dict):
        bundle = {}
    for method, mime_type in FORMS.items():
        data = attempt(_read, mime_type, dict.get(bundle, mime_type), otherwise=_none)
        if data is None:
            data = attempt(_read, mime_type, _call(value, method), otherwise=_none)
        if data is not None and (mime_type != "text/html" or data and _is_page(value, bundle)):
            return mime_type, data
    return None, None


def _is_page(value, bundle):
    """Whether an object with HTML is meant as a page: it has no text of its own, which says more to a model."""
    return "text/html" in bundle and "text/plain" not in bundle or _says_nothing(value)


def _says_nothing(value):
    text = attempt(lambda it: str.__str__(repr(it)), value, otherwise=_none)
    return text is None or NOTHING.fullmatch(text) is not None


def _call(value, name, **options):
    """The value of a method of an object's class; None if the method raises, unless nothing else says what the object is."""
    method = attempt(getattr, type(value), name, None, otherwise=_none)
    try:
        return method(value, **options) if method else None
    except KeyboardInterrupt:
        raise
    except BaseException:
        if name == "_repr_html_" and _says_nothing(value):
            raise
        return None


def _none(_):
    return None


def _read(mime_type, data):
    """Data of a form as bytes or text; nothing if it is none."""
    if issubclass(type(data), tuple) and data:  # with its metadata
        data = data[0]
    is_text = issubclass(type(data), str)
    if mime_type == "text/html":
        return str.__str__(data) if is_text else None
    if mime_type not in STARTS:
        return well_formed(data) if is_text else None
    data = base64.b64decode(data) if is_text else memoryview(data).tobytes()
    return data if data.startswith(STARTS[mime_type]) else None


def _show_scaled(width, height, encode, before=None):
    """Shows a picture as large as it may be, unless it hashes as that before; `encode` gives its PNG at a scale."""
    if not _pictures.may_show_more():
        return
    side, pixels = max(width, height, 1), max(width * height, 1)
    scale = min(1, LONGEST_SIDE / side, math.sqrt(MOST_PIXELS / pixels))
    data, smallest = encode(scale), SMALLEST * scale
    first = len(data)
    most = _pictures.room
    while len(data) > most and scale > smallest:
        scale = max(scale * 0.9 * math.sqrt(most / len(data)), smallest)
        data = encode(scale)
    if len(data) > most:
        return _pictures.leave_out(first)
    if not data.startswith(STARTS["image/png"]):  # another savefig() than matplotlib's, say
        return note("A picture was left out, as what was drawn is no PNG.")
    if hash(data) == before:
        return
    if scale < 1:
        why = "" if first <= most else f", as it had {first:,} bytes and may have {most:,}"
        shown = f"{int.from_bytes(data[16:20]):,} x {int.from_bytes(data[20:24]):,}"
        note(f"A picture of {width:,.0f} x {height:,.0f} pixels was scaled down to {shown}{why}.")
    _post("image/png", data, len(data))


def _show_media(media):
    data, said = media.data, f"{media.mime_type}"
    kind = "image/svg+xml" if said == "image/svg+xml" else _kind_of(data)
    if kind is None:
        return note(f"Not shown, as clients take no {said:.100}: {len(data):,} bytes. They are in its .data.")
    _show_encoded(kind, well_formed(data.decode()) if kind == "image/svg+xml" else data)


def _kind_of(data):
    """The kind of a picture or of audio, by its bytes; None for all other kinds."""
    starts = {**{kind: {0: start} for kind, start in STARTS.items()}, **MORE_STARTS}
    for kind, places in starts.items():
        if all(data.startswith(start, at) for at, start in places.items()):
            return kind
    return "audio/mpeg" if data.startswith(MP3_FRAMES) else None


def _show_encoded(mime_type, data):
    if not _pictures.may_show_more():
        return
    width, height = _pixels_of(mime_type, data)
    if max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS:
        return note(
            f"A picture of {width:,} x {height:,} pixels was left out, as one may have {MOST_PIXELS:,}, "
            f"and a side {LONGEST_SIDE:,}. Make a smaller one."
        )
    # A text is as long as it is on its way to the client.
    size = len(encode_basestring(data).encode() if isinstance(data, str) else data)
    if size > _pictures.room:
        _pictures.leave_out(size)
    else:
        _post(mime_type, data, size)


def _pixels_of(mime_type, data):
    """The width and height that a picture says first; zero for other kinds, whose start does not tell."""
    if mime_type == "image/png":
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if mime_type == "image/gif":
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    return 0, 0


def _post(mime_type, data, size):
    if _send is not None:
        _pictures.shown += 1
        _pictures.taken += size
        _send(mime_type, data if isinstance(data, str) else base64.b64encode(data).decode())


def _reason(error):
    text = attempt(lambda it: traceback.format_exception_only(it)[-1], error, otherwise=lambda _: "an error")
    return well_formed(text).strip()[:LONGEST_REASON]


def patch_image(module):
    def show(self, title=None, **options):
        show_image(self)

    module.Image.show = show


def patch_ipython(module):
    module.display = lambda *objects, **options: display(*objects)
