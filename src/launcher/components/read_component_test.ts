import { assertEquals, assertThrows } from "../../../deps/assert.ts";
import { fakeSystem } from "../../../test/support/fake_system.ts";
import { sha256 } from "../../disk.ts";
import { openConfigurations } from "../downstream/configurations.ts";
import { summarizeGrants } from "../../grants/policy_file/explain.ts";
import { readComponent } from "./read_component.ts";

const POLICY = `version: "1.0"
permissions:
  network: {allow: [{host: api.example.com}]}
  environment: {allow: [{key: TOKEN}]}
`;

function systemOf(files: Record<string, string>) {
  return {
    ...fakeSystem(files, { env: { TOKEN: "secret" } }),
    ...{ path: "--wasm", folder: "/srv/app" },
  };
}

Deno.test("readComponent() gives hash and grants of its files", () => {
  const system = systemOf({ "/c.wasm": "bytes", "/p.yaml": POLICY });
  const { entry, notes } = readComponent(
    { file: "/c.wasm", policy: "/p.yaml" },
    system,
  );
  assertEquals(notes, []);
  assertEquals(entry.sha256, sha256("bytes"));
  assertEquals(entry.grants.hosts, ["api.example.com"]);
  assertEquals(entry.grants.variables, { TOKEN: "secret" });
  assertEquals(
    summarizeGrants(entry.grants),
    "hosts api.example.com; variables TOKEN",
  );
  const bare = readComponent({ file: "/c.wasm" }, system).entry;
  assertEquals(summarizeGrants(bare.grants), "nothing");
});

Deno.test("readComponent() refuses other bytes than those that are pinned, and says both hashes", () => {
  const system = systemOf({ "/c.wasm": "bytes" });
  const pin = sha256("other");
  assertThrows(
    () => readComponent({ file: "/c.wasm", sha256: pin }, system),
    {
      name: "Unusable",
      message: `the SHA-256 of "/c.wasm" is ${
        sha256("bytes")
      }, and not ${pin}, which its entry pins`,
    },
  );
});

Deno.test("a component that cannot be read hides no other, and the user hears of it", () => {
  const system = systemOf({
    "/c.wasm": "bytes",
    "/p.yaml": `version: "1.0"\npermisions: {}`,
  });
  const components = [
    { name: "a", file: "/missing.wasm" },
    { name: "b", file: "/c.wasm", policy: "/p.yaml" },
    { name: "c", file: "/c.wasm", policy: "/none.yaml" },
    { name: "d", file: "/c.wasm" },
  ];
  const settings = { mcpConfig: [], allowSelfServer: false, components };
  const { servers, skipped } = openConfigurations(settings, system).report();
  assertEquals(servers.map(({ entry }) => entry.name), ["d"]);
  assertEquals(skipped.map(({ name }) => name), ["a", "b", "c"]);
  const [a, b, c] = skipped.map(({ reason }) => reason);
  assertEquals(
    a?.startsWith('its file "/missing.wasm" cannot be read: '),
    true,
  );
  assertEquals(b?.includes("permisions"), true, b);
  assertEquals(c?.includes('Cannot read the policy "/none.yaml": '), true, c);
});

Deno.test("a component whose file changes while it is served has another entry", () => {
  const system = systemOf({ "/c.wasm": "bytes" });
  const components = [{ name: "c", file: "/c.wasm" }];
  const settings = { mcpConfig: [], allowSelfServer: false, components };
  const configurations = openConfigurations(settings, system);
  const [before] = configurations.list();
  system.write("/c.wasm", "others");
  const [after] = configurations.list();
  assertEquals(before?.changed, undefined);
  assertEquals(after?.changed?.how, "changed");
});
