"""The functions by which packages of charts open a browser: here they show the chart."""

from .displays import display

PLOTLY_PICTURES = ("png", "jpeg", "jpg", "webp", "svg", "pdf")  # which a browser draws


def patch_plotly(renderers):
    own = renderers.show

    def show(fig, renderer=None, *args, **options):
        if renderer in PLOTLY_PICTURES:
            return own(fig, renderer, *args, **options)
        if isinstance(fig, dict):
            from plotly.graph_objects import Figure

            fig = Figure(fig)
        display(fig)

    renderers.show = show


def patch_altair(module):
    for base in module.Chart.__mro__:
        if "show" in vars(base):
            base.show = lambda self, *args, **options: display(self)


def patch_bokeh(showing):
    showing.show = lambda obj, *args, **options: display(obj)


def patch_bokeh_output(output):
    output.output_notebook = lambda *args, **options: None


def patch_great_tables(module):
    module.GT.show = lambda self, *args, **options: display(self)


def patch_pyecharts(engine):
    engine.render_notebook = lambda chart, *templates: chart
