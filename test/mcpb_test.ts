/**
 * The bundle for desktop clients, unpacked and started as its manifest says, and
 * the file that lists it and the packages in the MCP registry.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { addFormats, Ajv } from "../deps/json_schema.ts";
import { StdioClientTransport } from "../deps/mcp_client.ts";
import { REGISTRY_NAME } from "../scripts/build/identity.ts";
import { buildMcpb, MCPB, runMcpb } from "../scripts/build/mcpb.ts";
import { writeServerJson } from "../scripts/build/server_json.ts";
import { OPTIONS, TOKEN_VARIABLE } from "../src/settings.ts";
import { VERSION } from "../src/version.ts";
import { connectBy } from "./support/client.ts";
import { REAL_DEPS, VARIABLES } from "./support/command.ts";
import { emptyHome } from "./support/empty_home.ts";
import { tempFolder } from "./support/folder.ts";
import { run } from "../src/launcher/bundling/write_program.ts";
import schema from "./fixtures/mcp_registry/server.schema.json" with {
  type: "json",
};

/** The variables of a manifest, as the official tool puts them in. */
const FILL_IN = `import { getMcpConfigForManifest } from "${MCPB}";
const [folder, userConfig] = Deno.args;
console.log(JSON.stringify(await getMcpConfigForManifest({
  manifest: JSON.parse(await Deno.readTextFile(folder + "/manifest.json")),
  extensionPath: folder,
  systemDirs: {},
  userConfig: JSON.parse(userConfig),
  pathSeparator: "/",
})));`;

Deno.test("the bundle for desktop clients serves as its manifest says, and the registry can list it", async (test) => {
  await using folder = await tempFolder();
  const [dist, home, data] = await folder.make("dist", "home", "data");
  const name = await buildMcpb(dist);
  const unpacked = join(folder.path, "an extension");
  await runMcpb(["unpack", join(dist, name), unpacked]);
  await Deno.writeTextFile(join(data, "a.txt"), "from a folder");

  const connect = async (userConfig: Record<string, unknown>) => {
    const program = join(folder.path, "fill_in.ts");
    await Deno.writeTextFile(program, FILL_IN);
    const json = await run(Deno.execPath(), [
      ...["run", "-A", "--no-config", program],
      ...[unpacked, JSON.stringify(userConfig)],
    ]);
    const { command, args, env } = JSON.parse(json);
    // A folder's name may begin as an option does.
    assertEquals(args.slice(args.indexOf("--") + 1), userConfig.folders ?? []);
    const alone = emptyHome(home, "", VARIABLES);
    const transport = new StdioClientTransport({
      ...{ command, args, cwd: home },
      env: { ...alone.env, ...env },
    });
    return await connectBy(transport, "2025-11-25");
  };

  await test.step("with a user's choices", async () => {
    await using client = await connect({
      packages: REAL_DEPS,
      folders: [data],
    });
    const { tools } = await client.client.listTools();
    const { tools: listed } = JSON.parse(
      await Deno.readTextFile(join(unpacked, "manifest.json")),
    );
    for (const { name } of listed) {
      assert(tools.some((tool) => tool.name === name), name);
    }
    const called = await client.call(
      "import pydantic; open('/mnt/data/a.txt').read() + pydantic.__name__",
    );
    assertEquals(called.returnValue, "from a folderpydantic");
  });
  await test.step("with no choice at all", async () => {
    await using client = await connect({});
    assertEquals((await client.call("6 * 7")).returnValue, 42);
  });

  await writeServerJson(dist, [name]);
  const text = await Deno.readTextFile(join(dist, "server.json"));
  const server = JSON.parse(text);
  await test.step("server.json is as its schema wants", () => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    assertEquals(server.$schema, schema.$id);
    const validate = ajv.compile(schema);
    assert(validate(server), JSON.stringify(validate.errors, null, 2));
    assert(!validate(Object.assign({}, server, { description: "" })));
  });
  await test.step("it names all packages, in this version", () => {
    const ways = server.packages.map((
      { registryType, transport }: Record<string, { type: string }>,
    ) => `${registryType} ${transport?.type}`);
    assertEquals(ways, [
      ...["npm stdio", "npm streamable-http"],
      ...["pypi stdio", "pypi streamable-http", "mcpb stdio"],
    ]);
    assert(
      server.packages.every((one: { version?: string }) =>
        (one.version ?? VERSION) === VERSION
      ),
    );
    assert(text.includes(`/v${VERSION}/${name}`));
  });
  await test.step("it names variables that there are, with their kinds", () => {
    const known = OPTIONS.flatMap(({ variables }) => variables);
    const named = text.matchAll(/"name": "(MCP_RUN_PYTHON_\w+)"/g);
    for (const [, name = ""] of named) {
      assert(known.includes(name) || name === TOKEN_VARIABLE, name);
    }
    const { environmentVariables } = server.packages[1];
    const row = (name: string) =>
      environmentVariables.find((one: { name: string }) => one.name === name);
    assertEquals(row("MCP_RUN_PYTHON_PORT"), {
      ...{ name: "MCP_RUN_PYTHON_PORT", format: "number", default: "3001" },
      description: "port to listen on; 0 picks a free one",
    });
    assert(row("MCP_RUN_PYTHON_ENV").isSecret);
    assertEquals(row("MCP_RUN_PYTHON_DEPS").isSecret, undefined);
  });
  await test.step("the package for PyPI names it", async () => {
    const readme = new URL("../python/README.md", import.meta.url);
    assertMatch(
      await Deno.readTextFile(readme),
      new RegExp(`^<!-- mcp-name: ${REGISTRY_NAME} -->$`, "m"),
    );
  });
});
