/**
 * Records the tools of real MCP servers in `test/fixtures/tools/`: it installs
 * each in its pinned version, and writes its answer to `tools/list` as it is.
 *
 * `deno run -A scripts/record_tools.ts`
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StdioClientTransport } from "../deps/mcp_client.ts";
import { log } from "../src/log.ts";
import { getNpmPackages, programsOf } from "../test/support/npm_packages.ts";
import { getPythonPackages } from "../test/support/python_packages.ts";
import { VERSION } from "../src/version.ts";

const FOLDER = fileURLToPath(import.meta.resolve("../test/fixtures/tools"));
const NPM = "2026.8.31";

interface RecordedServer {
  name: string;
  package: string;
  version: string;
  args: string[];
}

const OF_NPM: readonly RecordedServer[] = [
  ["everything"],
  ["filesystem", "."],
  ["memory"],
  ["sequential-thinking"],
].map(([name = "", ...args]) => ({
  name,
  package: `@modelcontextprotocol/server-${name}`,
  version: NPM,
  args,
}));
const OF_PYPI: readonly RecordedServer[] = [
  {
    name: "time",
    version: "2026.10.19",
    args: ["--local-timezone", "Europe/Berlin"],
  },
  { name: "git", version: "2026.10.19", args: [] },
  { name: "fetch", version: "2026.10.24", args: [] },
].map((server) => ({ ...server, package: `mcp-server-${server.name}` }));

for (const server of OF_NPM) {
  const { folder } = orThrow(
    await getNpmPackages(`${server.package}@${server.version}`),
  );
  const command = join(programsOf(folder), `mcp-server-${server.name}`);
  await record(server, { command, args: server.args });
}
for (const server of OF_PYPI) {
  const { python, folder } = orThrow(
    await getPythonPackages(`${server.package}==${server.version}`),
  );
  await record(server, {
    command: python,
    args: ["-m", server.package.replaceAll("-", "_"), ...server.args],
    env: { PYTHONPATH: folder },
  });
}

function orThrow<T extends object>(found: T | { reason: string }): T {
  if ("reason" in found) throw new Error(found.reason);
  return found;
}

async function record(
  { name, package: pack, version }: RecordedServer,
  process: { command: string; args: string[]; env?: Record<string, string> },
): Promise<void> {
  const env = { PATH: Deno.env.get("PATH") ?? "", ...process.env };
  const client = new Client({ name: "mcp-run-python", version: VERSION });
  await client.connect(new StdioClientTransport({ ...process, env }));
  const { tools } = await client.listTools();
  await client.close();
  await Deno.writeTextFile(
    join(FOLDER, `${name}.json`),
    JSON.stringify({ server: name, package: pack, version, tools }, null, 2) +
      "\n",
  );
  log(`${name}: ${tools.length} tools`);
}
