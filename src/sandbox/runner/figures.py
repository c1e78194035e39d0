"""matplotlib's backend for runs: `show()` hands figures to the host.

Imported before matplotlib is, and maybe without it: its classes are made when
matplotlib first asks for them.
"""

from . import displays


def show(*args, block=None, **kwargs):
    """Shows all open figures and closes them; with block=False they stay open, and are shown at the end."""
    if block is False:
        return
    from matplotlib._pylab_helpers import Gcf

    try:
        for manager in sorted(Gcf.get_all_fig_managers(), key=lambda it: it.num):
            displays.show_changed(manager.canvas.figure)
    finally:
        Gcf.destroy_all()


def __getattr__(name):
    if name not in ("FigureCanvas", "FigureManager"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from matplotlib.backend_bases import FigureManagerBase
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    class FigureManager(FigureManagerBase):
        def show(self):
            displays.show_changed(self.canvas.figure)

    class FigureCanvas(FigureCanvasAgg):
        manager_class = FigureManager

    globals().update(FigureCanvas=FigureCanvas, FigureManager=FigureManager)
    return globals()[name]
