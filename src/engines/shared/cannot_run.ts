/** Code that WebAssembly has no way to run, and what an error of it says. */
export interface CannotRun {
  /** Functions and lines of code, as a reader looks for them. */
  code?: readonly string[];
  /** Modules, packages and names of modules; an error names the module. */
  modules?: readonly string[];
  /** Parts of paths: the error of a call that passed through such a file. */
  places?: readonly string[];
  /** A sentence; of a module it goes on from `<module> cannot run here: `. */
  says: string;
}

/**
 * The words for code that cannot run here. Errors of Pyodide and of Monty, and
 * docs/hints.md, are made of them: `deno run -A scripts/options_table.ts`.
 */
export const CANNOT_RUN = {
  processes: {
    code: [
      ...["os.execv()", "ProcessPoolExecutor", "!ls"],
    ],
    modules: [
      ...["os.system", "os.popen", "os.posix_spawn", "subprocess"],
      "multiprocessing",
      ...["pexpect", "sh", "docker"],
    ],
    says:
      "There are no other processes here: no shell, no commands, no multiprocessing. Do it in Python, in one process.",
  },
  threads: {
    code: ["threading.Thread().start()", "ThreadPoolExecutor"],
    modules: ["threading"],
    says:
      "There are no threads here. Do the work in a loop; what waits can be awaited together by asyncio.gather().",
  },
  input: {
    code: ["input()", "getpass.getpass()"],
    says:
      "There is no input here: a run has no keyboard. Put values into the code, or pass them in global_variables.",
  },
  sockets: {
    code: ["socket.create_connection()", "asyncio.open_connection()"],
    modules: ["socket", "paramiko"],
    says:
      "There are no raw sockets here. Use HTTP: urllib.request, requests, httpx and pyodide.http reach the hosts that the user grants with --allow-net.",
  },
  files: {
    code: ['open("/home/…")', 'open("C:\\\\…")', 'open("~/…")'],
    says:
      "The user's files are not here. They can be sent with the call (files), or the user can start the server with --mount FOLDER.",
  },
  functions: {
    code: ["os.fork()", "os.mkfifo()"],
    says:
      "WebAssembly has no operating system for this function. Do it another way, in Python.",
  },
  alarms: {
    modules: ["signal.alarm", "signal.setitimer"],
    says:
      "There are no alarms of an operating system. The call's timeout ends a run; asyncio.timeout() ends what waits.",
  },
  installs: {
    code: ["import pip", "import micropip", "%pip install", "!pip install"],
    says:
      "Code cannot install packages: import them, and the error of one that is missing says the way to have it.",
  },
  measures: {
    code: ["%time", "%timeit", "%%time", "%prun"],
    says:
      "The code behind it ran once, without a measurement: time.perf_counter() and timeit.timeit() measure.",
  },
  backends: {
    code: ['matplotlib.use("TkAgg")', 'plt.switch_backend("QtAgg")'],
    says:
      "There are no windows here, so figures are drawn by Agg: plt.show(), or the end of the run, shows them as pictures.",
  },
  browser: {
    code: ["webbrowser.open()", "plotly.offline.plot()"],
    places: ["/plotly/offline/offline.py", "/webbrowser.py"],
    says:
      'There is no browser here that shows it. display(object) shows figures and charts; a file comes back, too, such as by fig.write_html("figure.html").',
  },
  images: {
    code: ["fig.write_image() of plotly"],
    modules: ["kaleido", "orca"],
    places: ["/plotly/io/_kaleido.py", "/plotly/io/_renderers.py"],
    says:
      "Pictures of plotly are drawn by a browser, which is not here. Show the chart itself, by fig.show(), or draw with matplotlib.",
  },
  windows: {
    modules: [
      ...["tkinter", "turtle", "curses", "PyQt5", "PyQt6", "PySide2"],
      ...["PySide6", "wx", "kivy", "pyglet", "pyautogui", "pynput"],
    ],
    says:
      "There is neither a screen nor a keyboard. Draw with matplotlib or PIL: figures and display(image) come back as pictures.",
  },
  learning: {
    modules: [
      ...["torch", "torchvision", "torchaudio", "pytorch_lightning"],
      ...["tensorflow", "keras", "jax", "jaxlib", "flax", "transformers"],
      ...["sentence_transformers", "onnxruntime", "tokenizers", "spacy"],
      ...["catboost", "faiss", "prophet"],
    ],
    says:
      "Its native code is not built for WebAssembly. Use scikit-learn, statsmodels or numpy.",
  },
  compilers: {
    modules: ["numba", "llvmlite", "cupy", "cudf", "pycuda", "triton"],
    says: "There is neither a compiler nor a GPU. Use numpy, on whole arrays.",
  },
  vision: {
    modules: ["cv2", "opencv-python", "opencv-python-headless", "dlib"],
    says:
      "Only a Pyodide distribution that has opencv-python can offer it. Use PIL, scikit-image or numpy.",
  },
  databases: {
    modules: [
      ...["psycopg2", "psycopg2-binary", "psycopg", "asyncpg", "MySQLdb"],
      ...["mysql", "pymysql", "pymongo", "redis", "oracledb", "pyodbc"],
      ...["cx_Oracle", "cassandra"],
    ],
    says:
      "Databases on other machines need raw sockets. Use sqlite3 or duckdb on files, or HTTP to a host that the user grants with --allow-net.",
  },
  browsers: {
    modules: ["playwright", "selenium", "pyppeteer", "splinter", "helium"],
    says:
      "It drives a browser, which is another process. Use HTTP, to a host that the user grants with --allow-net, and beautifulsoup4 or lxml.",
  },
  clusters: {
    modules: ["pyspark", "ray", "distributed", "celery", "mpi4py"],
    says: "It needs other processes. Use pandas, polars or duckdb.",
  },
  programs: {
    modules: [
      ...["pytesseract", "pdf2image", "pdfkit", "weasyprint", "imgkit"],
      ...["imageio_ffmpeg", "moviepy", "rpy2"],
    ],
    says:
      "It calls another program, and there are none. Use a package of Python that does the work itself, such as pypdf, fpdf2, reportlab or PIL.",
  },
  removed: {
    modules: [
      ...["distutils", "imp", "asynchat", "asyncore", "smtpd", "lib2to3"],
      ...["cgi", "cgitb", "crypt", "imghdr", "sndhdr", "pipes", "telnetlib"],
    ],
    says:
      "Python itself no longer has it. Use other modules of the standard library, such as importlib.",
  },
  machine: {
    modules: [
      ...["psutil", "win32com", "win32api", "winreg", "xlwings", "pyaudio"],
      ...["sounddevice", "serial", "usb"],
    ],
    says:
      "There is no machine behind this Python, but WebAssembly. Files are read and written by Python alone, such as with openpyxl.",
  },
} as const satisfies Record<string, CannotRun>;

export type CannotRunKey = keyof typeof CANNOT_RUN;
type Row = [key: CannotRunKey, row: CannotRun];

const ROWS = Object.entries(CANNOT_RUN) as Row[];

/** Keys by module; the names are as `toModuleKey()` gives them. */
export const CANNOT_RUN_MODULES: ReadonlyMap<string, CannotRunKey> = new Map(
  ROWS.flatMap(([key, { modules = [] }]) =>
    modules.map((name) => [toModuleKey(name), key])
  ),
);

/** Keys by a part of a path, the most special first. */
export const CANNOT_RUN_PLACES: readonly (readonly [string, CannotRunKey])[] =
  ROWS.flatMap(([key, { places = [] }]) =>
    places.map((place) => [place, key] as const)
  ).toSorted(([a], [b]) => b.length - a.length);

/** Modules and packages are compared by this: `opencv-python` is `opencv_python`. */
export function toModuleKey(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

function withinSentence({ says }: CannotRun): string {
  return says.slice(0, 1).toLowerCase() + says.slice(1);
}

/** What is said of a module that cannot run here; undefined for others. */
export function cannotRun(module: string): string | undefined {
  const key = CANNOT_RUN_MODULES.get(toModuleKey(module)) ??
    CANNOT_RUN_MODULES.get(toModuleKey(module.split(".")[0] ?? ""));
  return key && `${module} cannot run here: ${withinSentence(CANNOT_RUN[key])}`;
}
