// The program of a worker that imports Pyodide's JavaScript as Python's worker does,
// and tells whether it may read the file before and after. It takes Deno's
// functions first, as `doors.ts` removes them.
const { permissions } = Deno;
const post = Reflect.get(globalThis, "postMessage");
const glue = await new Promise<GlueUrls>((resolve) =>
  addEventListener("message", (event) => resolve(Reflect.get(event, "data")), {
    once: true,
  })
);
const mayRead = () =>
  permissions.querySync({ name: "read", path: `${glue.file}` }).state ===
    "granted";
const before = mayRead();
const { importGlue } = await import(
  "../../src/engines/pyodide/worker/glue.ts"
);
const exported = await importGlue(glue);
post({ ...exported, before, after: mayRead() });

import type { GlueUrls } from "../../src/engines/pyodide/worker/glue.ts";
