import type { ConfigurationReport } from "../../launcher/downstream/configurations.ts";
import { transportOf } from "../../launcher/downstream/transports/transport.ts";
import { toTable } from "../table.ts";

/** Lines about each server, each entry that is skipped, and each file at fault. */
export function listServers(
  { servers, skipped, faults, undiscovered }: ConfigurationReport,
): string[] {
  const table = toTable([
    ["name", "transport", "starts or reaches", "client", "file"],
    ...servers.map(({ entry, client }) => [
      entry.name,
      entry.transport,
      transportOf(entry).shown(),
      client,
      entry.source,
    ]),
  ]);
  return [
    ...toSection("Servers", servers.length > 0 ? table : [NONE]),
    ...toSection(
      "Notes",
      servers.flatMap(({ entry: { name }, notes }) =>
        notes.map((note) => `${name}: ${note}`)
      ),
    ),
    ...toSection(
      "Skipped",
      skipped.map(({ name, client, source, reason, remedy }) =>
        `${name || '""'} (${client}, ${source}): ${reason}.${
          remedy === undefined ? "" : ` ${remedy}`
        }`
      ),
    ),
    ...toSection(
      "Files that cannot be read",
      faults.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...toSection("Read with --mcp-config discover only", undiscovered),
  ].slice(0, -1);
}

const NONE = "none: name a file of them with --mcp-config, or discover them";

/** The same for programs: names of variables and headers, without their values. */
export function serversAsJson(
  { servers, ...rest }: ConfigurationReport,
): Record<string, unknown> {
  return {
    servers: servers.map(({ entry, listed, client, notes }) => {
      const { shown, secrets } = transportOf(entry);
      const names = { [secrets.kind]: Object.keys(secrets.values) };
      return { ...listed, client, target: shown(), notes, ...names };
    }),
    ...rest,
  };
}

function toSection(title: string, lines: string[]): string[] {
  if (lines.length === 0) return [];
  return [title, ...lines.map((line) => `  ${line}`), ""];
}
