import { join } from "node:path";
import { isUsed } from "../../src/cli/read_settings.ts";
import { sha256 } from "../../src/disk.ts";
import { writeJson } from "../../src/launcher/bundling/write_program.ts";
import type { Kind } from "../../src/settings/kind.ts";
import type { CommandName, Option } from "../../src/settings/option.ts";
import {
  folder as folderKind,
  lockFile,
  path,
  webAddress,
} from "../../src/settings/kinds.ts";
import { DEFAULTS, OPTIONS, TOKEN_VARIABLE } from "../../src/settings.ts";
import { VERSION } from "../../src/version.ts";
import { DESCRIPTION, REGISTRY_NAME, REPOSITORY, TITLE } from "./identity.ts";

const SCHEMA =
  "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** The command that runs a package of each registry. */
const RUNTIMES = { npm: "npx", pypi: "uvx" };

const STDIO = {
  transport: { type: "stdio" },
  packageArguments: [
    { type: "positional", value: "stdio" },
    {
      ...{ type: "positional", valueHint: "folder", isRepeated: true },
      description: "folder that Python sees, read-only if not said: folder:rw",
    },
  ],
  environmentVariables: toVariables("stdio"),
};

const HTTP = {
  transport: {
    type: "streamable-http",
    url: `http://127.0.0.1:{MCP_RUN_PYTHON_PORT}${DEFAULTS.httpPath}`,
  },
  packageArguments: [{ type: "positional", value: "streamable-http" }],
  environmentVariables: [
    ...toVariables("streamable-http"),
    {
      ...{ name: TOKEN_VARIABLE, isSecret: true },
      description: "bearer token that clients must send",
    },
  ],
};

/**
 * Writes `server.json`, by which the MCP registry lists this server.
 *
 * @param folder Gets it; has the bundles for desktop clients.
 * @param bundles Their names.
 */
export async function writeServerJson(
  folder: string,
  bundles: string[],
): Promise<void> {
  const packages = Object.entries(RUNTIMES).flatMap(([registryType, hint]) =>
    [STDIO, HTTP].map((way) => ({
      ...{ registryType, identifier: "mcp-run-python", version: VERSION },
      ...{ runtimeHint: hint, ...way },
    }))
  );
  const files = await Promise.all(bundles.map(async (name) => ({
    registryType: "mcpb",
    identifier: `${REPOSITORY}/releases/download/v${VERSION}/${name}`,
    fileSha256: sha256(await Deno.readFile(join(folder, name))),
    transport: STDIO.transport,
  })));
  await writeJson(join(folder, "server.json"), {
    ...{ $schema: SCHEMA, name: REGISTRY_NAME, title: TITLE },
    ...{ description: DESCRIPTION, version: VERSION },
    repository: { url: REPOSITORY, source: "github" },
    packages: [...packages, ...files],
  });
}

/** The variables of the options of a command. */
function toVariables(command: CommandName): Record<string, unknown>[] {
  return OPTIONS.filter((option) => isUsed(option, command))
    .flatMap((option) => toVariable(option) ?? []);
}

function toVariable({ variables, spec, kind }: Option) {
  const name = variables.at(-1);
  if (name === undefined) return undefined;
  return {
    ...{ name, description: spec.help.replace(/; repeatable$/, "") },
    // An index's URL may hold a password.
    ...("isSecret" in kind || kind === webAddress ? { isSecret: true } : {}),
    ...toFormat(kind),
    ...(kind.choices && !kind.toml ? { choices: kind.choices } : {}),
    ...(spec.default === undefined ? {} : { default: `${spec.default}` }),
  };
}

function toFormat(kind: Kind<unknown>): { format?: string } {
  const paths: Kind<unknown>[] = [path, folderKind, lockFile];
  if (paths.includes(kind)) return { format: "filepath" };
  const { toml } = kind;
  return toml === "number" || toml === "boolean" ? { format: toml } : {};
}
