/**
 * A launcher that is a broker alone: with `bridging_server.ts` as its server, and the
 * servers of a JSON file. It gives its permissions up as the real one does.
 *
 * @module
 */
import { NO_PLACE } from "./component_place.ts";
import { fileURLToPath } from "node:url";
import { runBroker } from "../../src/launcher/broker.ts";
import { toDownstream } from "../../src/launcher/downstream/start_bridge.ts";
import { dropPermissions } from "../../src/launcher/serve.ts";
import { bridgeKind } from "../../src/launcher/kinds.ts";
import { spawnFlags } from "../../src/launcher/spawn.ts";
import { configurationsOf } from "./downstream_hub.ts";

const SERVER = fileURLToPath(import.meta.resolve("./bridging_server.ts"));

const [file = ""] = Deno.args;
const { mcpServers } = JSON.parse(Deno.readTextFileSync(file));
const settings = { startTimeoutSeconds: 120, maxHostCallSize: 1 << 20 };
const server = new Deno.Command(Deno.execPath(), {
  args: ["run", ...spawnFlags("server"), SERVER],
  stdin: "piped",
  stdout: "piped",
}).spawn();
const downstream = toDownstream(
  ...[configurationsOf(mcpServers), settings, NO_PLACE] as const,
);
await dropPermissions(["read"]);
await runBroker({
  server,
  settings,
  kinds: { bridge: bridgeKind(downstream) },
  services: { servers: () => downstream.list() },
  client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
});
Deno.exit();
