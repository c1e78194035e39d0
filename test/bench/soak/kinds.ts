import { NO_BRAKE } from "../../support/no_brake.ts";
import type { Called } from "../../support/server.ts";

/** A kind of run: its code, and what is a right answer to it. */
export interface Kind {
  name: string;
  /** How often it comes, beside the others. */
  weight: number;
  /** `nonce` is bound when it runs. */
  code: string;
  timeoutSeconds?: number;
  /** Whether its client gives it up. */
  isCancelled?: boolean;
  isRight(called: Called, nonce: string): boolean;
}

/** What all runs may take that do not hang. */
export const PATIENCE_S = 15;

/** All kinds, the usual one first. */
export const KINDS: readonly [Kind, ...Kind[]] = [
  {
    name: "good",
    weight: 30,
    code: `print(nonce)\n{"nonce": nonce, "sum": sum(range(1000))}`,
    isRight: (called, nonce) =>
      isSuccess(called, { nonce, sum: 499500 }) && printed(called, nonce),
  },
  {
    name: "finds nothing of others",
    weight: 10,
    code: `import asyncio, atexit, builtins, decimal, os, signal, sys, warnings
[
    nonce, os.listdir("."), os.listdir("/tmp"), hasattr(builtins, "soiled"), "soiled" in globals(), sys.getrecursionlimit() > 10,
    "soiled" in sys.modules, "SOILED" in os.environ, os.getcwd(), decimal.getcontext().prec, len(asyncio.all_tasks()), atexit._ncallbacks(),
    sys.gettrace(), signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, warnings.filters[0][0] == "error", len(os.listdir("/proc/self/fd")), hasattr("", "soiled"),
]`,
    isRight: (called, nonce) =>
      isSuccess(called, [
        ...[nonce, [], [], false, false, true, false, false, "/workspace", 28],
        ...[0, 1, null, true, false, 4, false],
      ]),
  },
  {
    name: "leaves much behind",
    weight: 8,
    code: `import asyncio, builtins, os, sys
builtins.soiled = soiled = nonce
for folder in (".", "/tmp"):
    open(f"{folder}/soiled", "w").write(nonce)
async def tick():
    while True:
        print(nonce, end="")
        await asyncio.sleep(0)
tasks = [asyncio.create_task(tick()) for _ in range(3)]
builtins.print = None
sys.setrecursionlimit(10_000)
nonce`,
    isRight: (called, nonce) => isSuccess(called, nonce),
  },
  {
    name: "changes what a rewind must put back",
    weight: 8,
    code:
      `import atexit, builtins, decimal, gc, json, os, signal, sys, types, warnings
json.dumps = json.loads
sys.modules["soiled"] = types.ModuleType(nonce)
os.environ["SOILED"] = nonce
os.mkdir("/tmp/soiled")
os.chdir("/tmp/soiled")
decimal.getcontext().prec = 3
atexit.register(print, nonce)
kept = [open(f"/tmp/{at}", "w") for at in range(9)]
os.write(1, nonce.encode() + "€".encode()[:2])
warnings.simplefilter("error")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
gc.get_referents(str.__dict__)[0]["soiled"] = nonce
sys.settrace(lambda *_: None)
raise ValueError(nonce)`,
    isRight: ({ status, error }, nonce) =>
      status === "run-error" && error?.includes(nonce) === true,
  },
  {
    name: "fails",
    weight: 8,
    code: "raise ValueError(nonce)",
    isRight: ({ status, error }, nonce) =>
      status === "run-error" &&
      error?.endsWith(`ValueError: ${nonce}`) === true,
  },
  {
    name: "exits",
    weight: 4,
    code: "import sys\nprint(nonce)\nsys.exit(3)",
    isRight: (called, nonce) =>
      called.status === "run-error" && printed(called, nonce) &&
      /exit code 3/.test(called.error ?? ""),
  },
  {
    name: "recurses",
    weight: 4,
    code: "def dig(): dig()\nprint(nonce)\ndig()",
    isRight: (called, nonce) =>
      called.status === "run-error" && printed(called, nonce) &&
      /RecursionError/.test(called.error ?? ""),
  },
  {
    name: "computes for ever",
    weight: 3,
    timeoutSeconds: 0.5,
    code: "print(nonce)\nwhile True: pass",
    isRight: isStopped,
  },
  {
    name: "waits for ever",
    weight: 2,
    timeoutSeconds: 0.5,
    code: "import asyncio\nprint(nonce)\nawait asyncio.sleep(10_000)",
    isRight: isStopped,
  },
  {
    name: "does not let itself be stopped",
    weight: 1,
    timeoutSeconds: 0.5,
    code: `print(nonce, flush=True)
while True:
    try:
        while True: pass
    except KeyboardInterrupt:
        pass`,
    isRight: isStopped,
  },
  {
    name: "takes all memory",
    weight: 2,
    code:
      "print(nonce)\nkept = []\nwhile True: kept.append(bytearray(1 << 24))",
    isRight: (called, nonce) =>
      called.status === "memory-limit" && printed(called, nonce),
  },
  {
    name: "survives a lack of memory",
    weight: 2,
    code: `try:
    bytearray(1 << 30)
except MemoryError:
    said = nonce
said`,
    isRight: (called, nonce) => isSuccess(called, nonce),
  },
  {
    name: "writes files without end",
    weight: 1,
    code: `print(nonce, flush=True)
with open("/tmp/bomb", "wb") as file:
    while True: file.write(bytes(1 << 22))`,
    // Which limit it meets first depends on how busy the machine is.
    isRight: ({ status }) =>
      ["memory-limit", "run-error", "timeout", "crashed"].includes(status),
  },
  {
    name: "prints a flood",
    weight: 3,
    code: `print(nonce)
for _ in range(10_000): print("x" * 1000)
print(nonce)`,
    isRight: ({ status, output, structured }, nonce) =>
      status === "success" && output[0] === nonce &&
      output.at(-1) === nonce && structured.truncated !== undefined,
  },
  {
    name: "returns too much",
    weight: 2,
    code: `nonce + "x" * 500_000`,
    isRight: ({ status, returnValue }, nonce) =>
      status === "success" && String(returnValue).startsWith(nonce),
  },
  {
    name: "floods its process without a brake",
    weight: 2,
    timeoutSeconds: 0.5,
    code: `${NO_BRAKE}
while True: displays._send("image/svg+xml", nonce + "x" * 4_000_000)`,
    isRight: isLimited,
  },
  {
    name: "calls its host without a brake",
    weight: 1,
    timeoutSeconds: 0.5,
    code: `${NO_BRAKE}
from mcp_runner import host_calls
while True: host_calls._notify("progress", "x" * 1_000_000)`,
    isRight: isLimited,
  },
  {
    name: "takes memory after its end",
    weight: 2,
    code: `import js
from pyodide.ffi import create_proxy
held = []
def more():
    held.append(js.Uint8Array.new(32 << 20))
    held[-1].fill(1)
js.setInterval(create_proxy(more), 10)
nonce`,
    isRight: (called, nonce) => isSuccess(called, nonce),
  },
  {
    name: "shows pictures after its end",
    weight: 2,
    code: `import js
from mcp_runner import displays
from pyodide.ffi import create_proxy
js.setInterval(create_proxy(lambda: displays._send("image/svg+xml", nonce * 10_000)), 1)
nonce`,
    isRight: (called, nonce) => isSuccess(called, nonce),
  },
  {
    name: "writes files that are named as what all objects have",
    weight: 3,
    code: `import os
names = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"]
for name in names:
    with open(name, "w") as file: file.write(nonce)
[nonce, sorted(os.listdir(".")) == names, all(open(name).read() == nonce for name in names)]`,
    isRight: (called, nonce) => isSuccess(called, [nonce, true, true]),
  },
  {
    name: "leaves folders that are deep and many",
    weight: 1,
    code: `import os
path = "."
for depth in range(300):
    path += "/d"
    os.mkdir(path)
    if depth % 10 == 0: open(path + "/f", "w").write(nonce)
nonce`,
    isRight: (called, nonce) => isSuccess(called, nonce),
  },
  {
    name: "is cancelled",
    weight: 4,
    isCancelled: true,
    code: "import time\nprint(nonce)\ntime.sleep(10)",
    // An answer can be no one's any more.
    isRight: () => false,
  },
];

function isLimited({ status }: Called): boolean {
  return ["timeout", "memory-limit", "crashed"].includes(status);
}

function isSuccess(called: Called, value: unknown): boolean {
  return called.status === "success" &&
    JSON.stringify(called.returnValue) === JSON.stringify(value);
}

function isStopped(called: Called, nonce: string): boolean {
  return called.status === "timeout" && printed(called, nonce);
}

function printed({ output }: Called, nonce: string): boolean {
  return output.length === 1 && output[0] === nonce;
}
