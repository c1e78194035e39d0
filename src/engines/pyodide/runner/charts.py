"""The charts, maps and tables of packages that are pages."""

import base64
import functools
import re
import zlib

from .pages import Kind, empty, find, read

VEGA = "vega-embed-full.js"  # with vega and vega-lite
FRAME = '<!DOCTYPE html><meta charset="utf-8"><style>html,body,#chart{height:100%;margin:0}#chart{min-height:300px}</style>'
LONG = ("x", "y", "z", "values", "labels", "lat", "lon", "r", "theta", "a", "locations", "open", "ids")


def kind_of(value):
    """The kind of an object that is a page; None for all others."""
    for base in type(value).__mro__:
        kind = KINDS.get(f"{str(base.__module__).partition('.')[0]}.{base.__name__}")
        if kind:
            return kind
    return None


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
        path = find({VEGA}).get(VEGA)
        if path is None:
            return chart.to_html()
        return _chart(read(path), chart.to_json(), 'await vegaEmbed("#chart", data, { actions: false });')


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
    "branca.Element": Kind("folium map", empty, lambda it: [_count(len(it._children), "part")], lambda it: it.get_root().render()),
    "pyecharts.ChartMixin": Kind("pyecharts chart", _pyecharts_title, _pyecharts_details, lambda it: it.render_embed()),
    "great_tables.GT": Kind("table", lambda it: it._heading.title, lambda it: [_rows(it._tbl_data)], lambda it: it._repr_html_()),
    "pandas.Styler": Kind("styled table", lambda it: it.caption, lambda it: [_rows(it.data)], lambda it: it.to_html()),
}
