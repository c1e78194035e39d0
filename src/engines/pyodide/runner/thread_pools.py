"""Has threadpoolctl hold no object of JavaScript's, which would keep a session from being saved."""


def patch(threadpoolctl):
    """Without this, each fit of scikit-learn's KMeans lists the libraries that JavaScript has loaded."""
    # A library of WebAssembly has no thread pool here.
    threadpoolctl.ThreadpoolController._find_libraries_pyodide = lambda self: None
