"""Reports the bars of tqdm as progress of the run."""

from .mcp_run_python import tell_progress, to_count

# The text of tqdm without its bar.
FORMAT = "{desc}{n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


def patch(module):
    bar_class = module.tqdm
    bar_class.monitor_interval = 0  # the monitor needs a thread, and warns that there are none
    display = bar_class.display

    def display_and_tell(self, msg=None, pos=None):
        shown = display(self, msg, pos)
        _tell(self, msg)
        return shown

    bar_class.display = display_and_tell


def patch_notebook(module):
    """Without this, a bar of a notebook needs ipywidgets, and a page that shows them."""
    module.tqdm = module.tqdm_notebook = module.std_tqdm


def _tell(bar, msg):
    # A text in the place of a bar ends the bar, and an inner bar starts again and again.
    if msg is not None or getattr(bar, "pos", 0):
        return
    try:
        prefix = f"{bar.desc.removesuffix(': ')}: " if bar.desc else ""
        meter = {**bar.format_dict, "bar_format": FORMAT, "prefix": prefix}
        tell_progress(bar.format_meter(**meter), _count(bar.n), _count(bar.total), drawn=True)
    except Exception:  # a bar must not fail because of its report
        pass


def _count(value):
    try:
        return to_count("count", value)
    except ValueError:  # such as a total that is infinite
        return None
