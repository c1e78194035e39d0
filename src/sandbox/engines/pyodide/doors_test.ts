import { assert, assertEquals } from "../../../../deps/assert.ts";

const DOORS = new URL("./doors.ts", import.meta.url);

Deno.test("doors.ts leaves the language, and of the web what cannot reach out", async () => {
  const names = await namesAfter(DOORS);
  assert(names.length > 50, `only ${names.length} names`);
  const outward = names.filter((name) =>
    /^(Deno|process|require|fetch|Worker|WebSocket.*|EventSource|BroadcastChannel|MessagePort|postMessage|close|import.*|caches|navigator|storage|localStorage|Request|Response|XMLHttpRequest|prompt|alert|confirm|global|Buffer|reportError|createImageBitmap|GPU.*|setImmediate|on\w+)$/
      .test(name)
  );
  assertEquals(outward, []);
});

/** Names that code in a worker finds after a module was imported there. */
async function namesAfter(module: URL): Promise<string[]> {
  const code = `
    const post = postMessage;
    const names = new Set();
    import(${JSON.stringify(module.href)}).then(() => {
      for (let scope = globalThis; scope && scope !== EventTarget.prototype; scope = Object.getPrototypeOf(scope)) {
        for (const name of Object.getOwnPropertyNames(scope)) {
          if (scope !== globalThis || globalThis[name] !== undefined) names.add(name);
        }
      }
      post([...names]);
    });`;
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(code)}`,
    { type: "module" },
  );
  const names = await new Promise<string[]>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
  worker.terminate();
  return names;
}
