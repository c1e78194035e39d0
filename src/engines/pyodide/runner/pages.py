"""Pages: objects that are meant for a browser, such as charts, as HTML that is whole by itself.

Where a page is shown it reaches no network: its scripts are put into it.
"""

import base64
import functools
import os
import re
import zlib
from collections import namedtuple

from . import fonts
from .values import attempt, name_of, well_formed

LONGEST_TITLE = 200  # as the host takes them
LONGEST_ABOUT = 500
LONGEST_TEXT = 160
MOST_HOSTS = 3
LOOKED_AT = 100_000  # characters of a page, for its title and its text
CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f]")
VEGA = "vega-embed-full.js"  # with vega and vega-lite
LONG = ("x", "y", "z", "values", "labels", "lat", "lon", "r", "theta", "a", "locations", "open", "ids")
OUTSIDE = re.compile(
    r"""<(script|link|img|iframe|embed|video|audio|source)\b[^>]{0,300}?\s(?:src|href)\s*=\s*["']?(?:https?:)?//([^\s"'/>]+)([^\s"'>?#]*)[^>]{0,300}>"""
    r"""(?:\s*</script\s*>)?""",
    re.IGNORECASE,
)
PUT_IN = ("script", "link")
FRAME = '<!DOCTYPE html><meta charset="utf-8"><style>html,body,#chart{height:100%;margin:0}#chart{min-height:300px}</style>'


class HTML:
    """HTML to show to the user: `display(HTML("<b>text</b>"))`, or as the value of the last expression.

    data: a whole page, or a part of one. Where it is shown, it reaches no network.
    title: plain text; that of the page if left out.
    """

    def __init__(self, data, title=None):
        if not isinstance(data, str):
            hint = ": decode it, by .decode()" if isinstance(data, (bytes, bytearray)) else ""
            raise TypeError(f"HTML takes a string, not {str.__str__(name_of(type(data)))}{hint}")
        self.data = data
        self.title = title

    def _repr_html_(self):
        return self.data


HTML.__module__ = "mcp_run_python"


# Objects of a package that are pages: a name, and functions of such an object, which may raise.
Kind = namedtuple("Kind", "name title details to_html")


def kind_of(value):
    """The kind of an object that is a page; None for all others."""
    for base in type(value).__mro__:
        kind = KINDS.get(f"{str(base.__module__).partition('.')[0]}.{base.__name__}")
        if kind:
            return kind
    return None


def kind_of_html(markup):
    """The kind of an object that has given its HTML."""

    def title(value):
        return isinstance(value, HTML) and value.title or _title_in(markup)

    return Kind("HTML", title, lambda _: [_text_in(markup)], lambda _: markup)


def title_of(kind, value):
    return _line(attempt(lambda it: kind.title(it) or "", value, otherwise=_empty), LONGEST_TITLE)


def about(kind, value, markup=""):
    """A line for a model: the kind of a page, and how much is on it."""
    details = attempt(lambda it: ", ".join(filter(None, kind.details(it))), value, otherwise=_empty)
    hosts = [*dict.fromkeys(found[2] for found in OUTSIDE.finditer(markup))][:MOST_HOSTS]
    needs = f"loads from {', '.join(hosts)}, which it cannot reach where it is shown: it may stay empty"
    return _line(f"{kind.name}: {details}" if details else kind.name, LONGEST_ABOUT // 2) + (
        f"; {_line(needs, LONGEST_ABOUT // 2 - 2)}" if hosts else ""
    )


def put_in(markup):
    """Puts scripts and style sheets into a page that would load them from a network, as far as files of their names are here."""
    wanted = {os.path.basename(found[3]) for found in OUTSIDE.finditer(markup) if found[1].lower() in PUT_IN}
    found = _find(wanted) if wanted else {}

    def replaced(match):
        path = found.get(os.path.basename(match[3]))
        if path is None or match[1].lower() not in PUT_IN:
            return match[0]
        text = _read(path)
        if match[1].lower() == "link":
            return f"<style>{text.replace('</style', '')}</style>"
        return f"<script>{text.replace('</script', '<\\/script')}</script>"

    return OUTSIDE.sub(replaced, markup)


def clean(markup):
    """HTML without characters that it may not have."""
    return CONTROLS.sub("\ufffd", well_formed(markup))


def _find(names):
    """Paths of files, by name: of the code, of mounts and of packages."""
    return {os.path.basename(path): path for path in reversed([*fonts.paths()]) if os.path.basename(path) in names}


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _line(text, longest):
    """Plain text in a line of so many characters as JavaScript counts them."""
    text = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", well_formed(f"{text}")).split())
    units = text.encode("utf-16-le")
    if len(units) <= 2 * longest:
        return text
    return units[: 2 * longest - 2].decode("utf-16-le", "ignore") + "…"


def _empty(_):
    return ""


def _title_in(markup):
    found = re.search(r"<title[^>]*>([^<]*)", markup[:LOOKED_AT], re.IGNORECASE)
    return _unescaped(found[1]) if found else ""


def _text_in(markup):
    """The beginning of what a reader sees of a page."""
    seen = re.sub(r"<(script|style|head|title)\b.*?(</\1\s*>|$)", " ", markup[:LOOKED_AT], flags=re.IGNORECASE | re.DOTALL)
    text = _line(_unescaped(re.sub(r"<[^>]*(>|$)", " ", seen)), LONGEST_TEXT)
    return f'"{text}"' if text else ""


def _unescaped(text):
    import html  # a large table, which most runs do not need

    return html.unescape(text)


def _count(number, name):
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _names(names):
    return ", ".join(sorted(set(names))[:5])


def _chart(script, data, code):
    """A page with a script of a package, packed, and code that draws JSON by it."""
    return f"""{FRAME}<div id="chart"></div>
<script type="module">
const data = {data.replace("<", "\\u003c")};
const packed = Uint8Array.from(atob("{_packed(script)}"), (char) => char.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const script = document.createElement("script");
script.textContent = await new Response(unpacked).text();
document.head.append(script);
{code}
</script>"""


@functools.lru_cache(maxsize=2)
def _packed(script):
    return base64.b64encode(zlib.compress(script.encode(), 1)).decode()


def _plotly_details(figure):
    traces = figure.data
    points = sum(max((_points(key, it[key]) for key in LONG if key in it and hasattr(it[key], "__len__")), default=0) for it in traces)
    kinds = _names(it.type for it in traces)
    return [
        _count(len(traces), "trace") + (f" ({kinds})" if kinds else ""),
        _count(points, "point") if points else "",
        _count(len(figure.frames), "frame") if figure.frames else "",
    ]


def _points(key, data):
    """The number of points that data has; those of a heatmap or a surface are in rows."""
    return sum(len(it) if hasattr(it, "__len__") else 1 for it in data) if key == "z" else len(data)


def _plotly_title(figure):
    return re.sub("<[^>]*>", " ", figure.layout.title.text or "")


def _plotly_html(figure):
    from plotly.offline import get_plotlyjs

    code = (
        'const figure = await Plotly.newPlot("chart", data.data, data.layout, { responsive: true });\n'
        "if (data.frames) await Plotly.addFrames(figure, data.frames);"
    )
    return _chart(get_plotlyjs(), figure.to_json(), code)


def _altair_details(chart):
    for key in ("layer", "hconcat", "vconcat", "concat"):
        if isinstance(parts := getattr(chart, key, None), list):
            return [_count(len(parts), "part")]
    mark = getattr(chart.mark, "type", chart.mark)
    return [mark if isinstance(mark, str) else "", _rows(chart.data)]


def _altair_title(chart):
    title = chart.title
    return title if isinstance(title, str) else title.text if isinstance(title.text, str) else ""


def _altair_html(chart):
    import altair

    with altair.data_transformers.disable_max_rows():
        path = _find({VEGA}).get(VEGA)
        if path is None:
            return chart.to_html()
        return _chart(_read(path), chart.to_json(), 'await vegaEmbed("#chart", data, { actions: false });')


def _bokeh_details(model):
    drawn = [it for it in model.references() if hasattr(it, "data_source") and hasattr(it, "glyph")]
    rows = sum(max(map(len, it.data_source.data.values()), default=0) for it in drawn)
    kinds = _names(type(it.glyph).__name__ for it in drawn)
    return [_count(len(drawn), "glyph") + (f" ({kinds})" if kinds else ""), _count(rows, "point")]


def _bokeh_html(model):
    from bokeh.embed import file_html
    from bokeh.resources import INLINE

    return file_html(model, INLINE, title="")


def _pyecharts_details(chart):
    series = chart.options["series"]
    points = sum(len(it.get("data") or ()) for it in series)
    return [f"{len(series)} series ({_names(it['type'] for it in series)})", _count(points, "point")]


def _pyecharts_title(chart):
    return chart.options["title"].opts[0]["text"]


def _rows(data):
    """The shape of a table; empty if it says none."""
    shape = getattr(data, "shape", None)
    return f"{_count(shape[0], 'row')} x {_count(shape[1], 'column')}" if shape else ""


# By package and class, so that no package is imported that the code has not imported.
KINDS = {
    "plotly.BaseFigure": Kind("plotly figure", _plotly_title, _plotly_details, _plotly_html),
    "altair.TopLevelMixin": Kind("altair chart", _altair_title, _altair_details, _altair_html),
    "bokeh.Model": Kind("bokeh chart", lambda it: it.title.text, _bokeh_details, _bokeh_html),
    "branca.Element": Kind("folium map", _empty, lambda it: [_count(len(it._children), "part")], lambda it: it.get_root().render()),
    "pyecharts.ChartMixin": Kind("pyecharts chart", _pyecharts_title, _pyecharts_details, lambda it: it.render_embed()),
    "great_tables.GT": Kind("table", lambda it: it._heading.title, lambda it: [_rows(it._tbl_data)], lambda it: it._repr_html_()),
    "pandas.Styler": Kind("styled table", lambda it: it.caption, lambda it: [_rows(it.data)], lambda it: it.to_html()),
}
