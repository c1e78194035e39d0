/**
 * A client's story by an official TypeScript SDK, in Node; prints all that its
 * program sees. The SDK is found from the current folder.
 *
 * Usage: node --input-type=module --eval THIS ERA CALLS (URL | COMMAND ARGUMENT...),
 * where ERA is 1.x, or an era for 2.x; CALLS are pairs of a name and code, as JSON.
 */
const [, era, calls, ...where] = process.argv;
const isFirst = era === "1.x";
const sdk = isFirst
  ? {
    ...await import("@modelcontextprotocol/sdk/client/index.js"),
    ...await import("@modelcontextprotocol/sdk/client/stdio.js"),
    ...await import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  }
  : {
    ...await import("@modelcontextprotocol/client"),
    ...await import("@modelcontextprotocol/client/stdio"),
  };

const [command, ...args] = where;
const transport = command.startsWith("http")
  ? new sdk.StreamableHTTPClientTransport(new URL(command))
  : new sdk.StdioClientTransport({ command, args });
const mode = era === "2025-11-25" ? "legacy" : { pin: era };
const client = new sdk.Client(
  { name: "story", version: "1" },
  isFirst ? {} : { versionNegotiation: { mode } },
);
const told = [];

await client.connect(transport);
const { tools } = await client.listTools();
told.push(["tools", tools.map(({ name }) => name)]);
for (const [name, code] of JSON.parse(calls)) {
  told.push([name, await run({ python_code: code })]);
}

const opened = await run({ python_code: "kept = 1", session: "new" });
const { session } = opened.structuredContent;
const given = new AbortController();
const givenUp = run(
  { python_code: "notify_progress('half', 1, 2)\nwhile True: pass", session },
  {
    signal: given.signal,
    onprogress(step) {
      told.push(["a step", step]);
      given.abort();
    },
  },
);
told.push(["given up", await givenUp.then(() => false, () => true)]);
const after = await run({ python_code: "kept", session });
told.push(["the session goes on", after.structuredContent.return_value]);
await client.close();
process.stdout.write(JSON.stringify(told));

async function run(given, options = {}) {
  const params = { name: "run_python_code", arguments: given };
  const { content, structuredContent, isError } = isFirst
    ? await client.callTool(params, undefined, options)
    : await client.callTool(params, options);
  return { content, structuredContent, isError };
}
