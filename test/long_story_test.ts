/**
 * A run that takes longer than its client waits: the client gives up, comes back, reads
 * what was printed, and has the result with its picture and file.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { StreamableHTTPClientTransport } from "../deps/mcp_client.ts";
import { fields } from "../src/protocol/fields.ts";
import {
  connectBy,
  type Era,
  ERAS,
  type TestClient,
  toCalled,
} from "./support/client.ts";
import { startHttp } from "./support/http_server.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";

/** Seconds of the run, and the time after which its client gives a call up. */
const { runs, patience } = ALL_ROUNDS
  ? { runs: 120, patience: 5 }
  : { runs: 3, patience: 0.5 };

const CODE = `import time
for second in range(${runs}):
    print("second", second, flush=True)
    time.sleep(1)

class Plot:
    def _repr_png_(self):
        import base64
        return base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")

display(Plot())
with open("report.txt", "w") as file:
    file.write("whole")
{"rows": 3}`;

type Call = (
  args: Record<string, unknown>,
) => Promise<Awaited<ReturnType<TestClient["client"]["callTool"]>>>;

/** Calls as a client with a time-out does: until an answer comes in time. */
function hasty({ client }: TestClient, name: string): Call {
  return async (args) => {
    while (true) {
      try {
        return await client.callTool({ name, arguments: args }, {
          timeout: patience * 1000,
        });
      } catch (error) {
        assertMatch(String(error), /timed out/i);
      }
    }
  };
}

async function begin(client: TestClient): Promise<string> {
  const begun = await hasty(client, "run_python_code")({
    ...{ python_code: CODE, wait: 0, timeout: 600 },
  });
  const { status, run } = fields(begun.structuredContent);
  assertEquals(status, "running");
  return String(run);
}

/** Reads until the run has ended; a line comes once, in its place. */
async function finish(client: TestClient, run: string): Promise<void> {
  const getRun = hasty(client, "get_run");
  const lines: string[] = [];
  while (true) {
    const result = await getRun({ run, wait: patience / 2 });
    const { status, output, returnValue, structured } = toCalled(result);
    if (status === "running") {
      lines.push(...output);
      continue;
    }
    const all = Array.from({ length: runs }, (_, at) => `second ${at}`);
    assertEquals([status, returnValue], ["success", { rows: 3 }]);
    assertEquals(output, all);
    // The client may have lost an answer: the result has all.
    assertEquals(lines, all.filter((line) => lines.includes(line)));
    assert(result.content.some(({ type }) => type === "image"));
    const [file] = Array.isArray(structured.files) ? structured.files : [];
    const { contents: [read] } = await client.client.readResource({
      uri: String(fields(file).uri),
    });
    assertEquals(fields(read).text, "whole");
    return;
  }
}

for (const era of ERAS) {
  Deno.test(`story: a long run over HTTP, whose client loses its connection, and comes back (${era})`, async () => {
    const token = crypto.randomUUID();
    await using server = await startHttp(["--long-runs"], {
      env: { MCP_RUN_PYTHON_TOKEN: `ada:${token}` },
    });
    const connect = (era: Era) => {
      const left = new AbortController();
      const transport = new StreamableHTTPClientTransport(server.url, {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
        fetch: (url, init) =>
          fetch(url, {
            ...init,
            signal: AbortSignal.any([
              left.signal,
              ...init?.signal ? [init.signal] : [],
            ]),
          }),
      });
      return connectBy(transport, era).then((client) => ({ client, left }));
    };
    const first = await connect(era);
    const run = await begin(first.client);
    // No goodbye: its requests just end.
    const waiting = first.client.client.callTool({
      ...{ name: "get_run", arguments: { run, wait: 600 } },
    }).catch(() => {});
    first.left.abort();
    await waiting;
    const { client } = await connect(era);
    await using _ = client;
    await finish(client, run);
  });

  Deno.test(`story: a long run over stdio, whose client gives calls up (${era})`, async () => {
    await using client = await startServer(
      ["--long-runs"],
      ...[era, undefined, "stdio"] as const,
    );
    await finish(client, await begin(client));
  });
}
