import { NPM_PYODIDE } from "../../engines/pyodide/runtime.ts";
import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import { CACHE } from "../../../test/support/command.ts";
import { DEFAULTS } from "../../settings.ts";
import { readRuntime } from "../../engines/pyodide/stored_files.ts";
import { ensureBase } from "../../installer/base.ts";
import {
  openPythonJob,
  type PythonJob,
  type PythonJobFiles,
  type Services,
} from "./python_job.ts";
import type { ResolverOrder } from "./messages.ts";
import { toInstallOrder } from "../../launcher/installing/install_order.ts";

/** Python's side, in the place of the resolver. */
const PLAN = `
import json
from pyodide.ffi import run_sync

def plan(host, order_json):
    wanted = json.loads(order_json)["requirements"][0]
    if wanted == "says what is no event":
        host.say('{"type": "else"}')
    if wanted == "wants what is no file":
        run_sync(host.wheel('{"url": "x", "file": "../../x"}'))
    if wanted == "wants what has no hash for a hash":
        wheel = {"url": "https://h.example/", "file": "x.whl", "sha256": "../../x"}
        run_sync(host.wheel(json.dumps(wheel)))
    if wanted == "fetches what fails":
        run_sync(host.fetch("https://h.example/", "{}"))
    if wanted == "wants a wheel that fails":
        run_sync(host.wheel('{"url": "https://h.example/", "file": "x.whl"}'))
    if wanted == "raises":
        raise ValueError("on purpose")
    return '{"packages": []}'
`;

const OWN = {
  wheels: [],
  modules: { "__init__.py": "", "plan.py": PLAN },
  imports: [],
};

const failing: Services = {
  fetch: () => Promise.reject(new Error("fetching failed on purpose")),
  wheel: () => Promise.reject(new Error("a wheel failed on purpose")),
  say: () => {},
};

async function openBase(): Promise<PythonJobFiles> {
  const granted = await toInstallOrder("install", {
    ...{ ...DEFAULTS, cacheDir: CACHE },
    ...{ dependencies: [], constraints: [], findLinks: [], extraIndexUrls: [] },
  });
  const order = { ...granted.order, runtime: NPM_PYODIDE };
  const { snapshot, emptyLock: lockFile } = await ensureBase(order, () => {});
  const runtime = await readRuntime(order.runtime);
  return { ...runtime, snapshot, lockFile, package: "mcp_fixture", own: OWN };
}

function open(files: PythonJobFiles): PythonJob {
  return openPythonJob(files, failing);
}

function ask(job: PythonJob, wanted: string): Promise<unknown> {
  const order: ResolverOrder = {
    ...{ requirements: [wanted], constraints: [], locked: null, folders: [] },
    ...{ stored: [], pinned: [], indexes: [], offline: false },
    dist: { url: null, lock: null, origin: "", cached: [] },
  };
  return job.call({ call: "plan", order });
}

const REJECTED: Record<string, RegExp> = {
  "says what is no event":
    /^TypeError: Cannot read a message of the worker that installs: .* at event\.type$/,
  "wants what is no file":
    /^TypeError: Cannot read a message of the worker that installs: .* at wheel\.file$/,
  "wants what has no hash for a hash":
    /^TypeError: Cannot read a message of the worker that installs: .* at wheel\.sha256$/,
  "fetches what fails": /fetching failed on purpose/,
  "wants a wheel that fails": /a wheel failed on purpose/,
  "raises": /ValueError: on purpose/,
};

for (const [name, says] of Object.entries(REJECTED)) {
  Deno.test(`openPythonJob() rejects a call whose worker ${name}`, async () => {
    using job = open(await openBase());
    assertEquals(await ask(job, "nothing"), { packages: [] });
    await assertRejects(() => ask(job, name), says);
  });
}

Deno.test("openPythonJob() rejects each call of a worker that broke before it", async () => {
  const base = await openBase();
  using job = open({ ...base, own: { ...OWN, wheels: [new Uint8Array(4)] } });
  // It has broken by the time that another one has answered.
  using other = open(base);
  await ask(other, "nothing");
  await assertRejects(() => ask(job, "nothing"), /archive|zip/i);
  await assertRejects(() => ask(job, "nothing"), /archive|zip/i);
});
