"""Makes matplotlib's `show()` hand figures to the host, as there is no window to open."""

from . import displays, fonts


def patch(agg):
    from matplotlib._pylab_helpers import Gcf
    from matplotlib.backend_bases import FigureManagerBase

    class FigureManager(FigureManagerBase):
        def show(self):
            displays.show_changed(self.canvas.figure)

        @classmethod
        def pyplot_show(cls, *, block=None):
            """Shows and closes all open figures; with `block=False` the end of the run shows them."""
            if block is False:
                return
            try:
                for manager in sorted(Gcf.get_all_fig_managers(), key=lambda it: it.num):
                    manager.show()
            finally:
                Gcf.destroy_all()

    agg.FigureCanvasAgg.manager_class = FigureManager
    fonts.patch_canvas(agg.FigureCanvasAgg)
