import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { unhintedMessageOf, UserError } from "../../errors.ts";
import type { PolicyPlace } from "./reading.ts";
import { readPolicy } from "./read_policy.ts";

/** Folders, files and links of a machine with a policy in /p. */
const FOLDERS = [
  ...["/", "/p", "/p/data", "/p/data/in", "/p/tmp", "/p/workspace"],
  ...["/Users/USERNAME", "/Users/USERNAME/github/project", "/x", "/x/y"],
  ...["/p/workspace/secrets", "/a,b"],
];
const FILES = ["/p/home/runner/work/readonly.txt", "/p/data/file.csv"];
const LINKS: Record<string, string> = {
  "/p/out": "/x/y",
  "/p/near": "/p/data/in",
  "/p/comma": "/a,b",
};
const VARIABLES: Record<string, string> = {
  ...{ HOME: "/home/ada", PATH: "/bin", OPENWEATHER_API_KEY: "k" },
};

const PLACE: PolicyPlace = {
  file: "/p/policy.yaml",
  os: "linux",
  isFolder: (path) => FOLDERS.includes(path),
  realPath: (path) =>
    LINKS[path] ?? ([...FOLDERS, ...FILES].includes(path) ? path : undefined),
  variable: (name) => VARIABLES[name],
};

const read = (text: string) => readPolicy(`version: "1.0"\n${text}`, PLACE);
const inside = (text: string) => text.replaceAll("\n", "\n  ");
const storage = (allow: string, deny = "") =>
  read(
    `permissions: { storage: { allow: [${inside(allow)}], deny: [${deny}] } }`,
  )
    .grants;
const network = (allow: string, deny = "") =>
  read(
    `permissions: { network: { allow: [${inside(allow)}], deny: [${deny}] } }`,
  )
    .grants;

Deno.test("readPolicy() grants nothing that is not written", () => {
  const nothing = {
    ...{ hosts: [], deniedHosts: [], paths: [], deniedPaths: [] },
    ...{ variables: {}, limits: {} },
  };
  for (
    const text of [
      "permissions: {}",
      "permissions:",
      "",
      "permissions: { network: , storage: { allow: }, environment: {} }",
    ]
  ) assertEquals(read(text), { grants: nothing, warnings: [] });
});

Deno.test("readPolicy() reads storage: trees, folders, files, and paths beside the policy", () => {
  const all = ["read", "write"] as const;
  assertEquals(
    storage(`
{ uri: "fs:///x/**", access: [read] }, { uri: fs:///x/y, access: [read, write, read] },
{ uri: fs://data/in/, access: [read], x-mount: /in }, { uri: fs://data/file.csv, access: [read] },
{ uri: "fs://**", access: [read] }, { uri: fs://near, access: [write] }`).paths,
    [
      { host: "/x", guest: "/x", access: ["read"] },
      { host: "/x/y", guest: "/x/y", access: all },
      { host: "/p/data/in", guest: "/in", access: ["read"] },
      {
        ...{ host: "/p/data/file.csv", guest: "/p/data/file.csv" },
        ...{ access: ["read"], isFile: true },
      },
      { host: "/p", guest: "/p", access: ["read"] },
      { host: "/p/data/in", guest: "/p/data/in", access: ["write"] },
    ],
  );
});

Deno.test("readPolicy() lets denials of storage beat grants, by the path behind links", () => {
  const grants = storage(
    `{ uri: "fs:///x/**", access: [read, write] }, { uri: "fs://data/in/**", access: [read] }`,
    `{ uri: fs:///x, access: [write] }, { uri: fs://near, access: [read] }, { uri: fs:///x/new, access: [read] }`,
  );
  assertEquals(grants.paths, [{ host: "/x", guest: "/x", access: ["read"] }]);
  assertEquals(grants.deniedPaths, [
    { host: "/x", access: ["write"], kind: "folder" },
    { host: "/p/data/in", access: ["read"], kind: "folder" },
    { host: "/x/new", access: ["read"] },
  ]);
});

Deno.test("readPolicy() reads hosts in one spelling, and takes out what is denied wholly", () => {
  assertEquals(
    network(
      `
{ host: Example.COM }, { host: "*.example.org:443" }, { cidr: 10.0.0.0/8 }, { host: "https://h.example/" },
{ host: "http://i.example" }, { host: "a.bad.example" }, { host: "b.example:80" }, { cidr: 192.0.2.0/24 }`,
      `{ host: "*.bad.example" }, { host: "b.example" }, { cidr: 192.0.0.0/16 }, { host: "x.example.org" }`,
    ),
    {
      ...network(""),
      hosts: [
        ...["example.com", "*.example.org:443", "10.0.0.0/8"],
        ...["h.example:443", "i.example:80"],
      ],
      deniedHosts: [
        ...["*.bad.example", "b.example", "192.0.0.0/16", "x.example.org"],
      ],
    },
  );
  assertEquals(network(`{ host: a.example }`, `{ host: "*" }`).hosts, []);
});

Deno.test("readPolicy() reads variables and limits, and warns of what it does not use", () => {
  const { grants, warnings, description } = read(`
description: All
permissions:
  environment: { allow: [{ key: HOME }, { key: NONE }] }
  resources: { limits: { cpu: 0.5, memory: 1Gi }, io: 3 }
  runtime: { docker: {} }
  ipc: {}
x-limits: { timeout: 1.5m, memory: 512Mi, output: 1000 }
x-instance: kept
`);
  assertEquals(grants, {
    ...network(""),
    variables: { HOME: "/home/ada" },
    limits: { timeoutMs: 90_000, memoryMiB: 512, maxOutput: 1000 },
    instance: "kept",
  });
  assertEquals(description, "All");
  assertEquals(
    warnings.map((line) =>
      line.replace(/^The policy "\/p\/policy.yaml": /, "")
        .split(" ").slice(0, 4).join(" ")
    ),
    [
      'permissions.environment.allow[1].key "NONE" is not',
      "permissions.resources.io is not read:",
      "permissions.resources.limits.cpu is not enforced,",
      "permissions.runtime is of other",
      "permissions.ipc is of other",
    ],
  );
});

Deno.test("readPolicy() reads the policies that wassette publishes", () => {
  const counts = (name: string) => {
    const text = Deno.readTextFileSync(
      new URL(`../../../test/fixtures/policies/${name}.yaml`, import.meta.url),
    );
    const { grants, warnings } = readPolicy(text, PLACE);
    const { hosts, paths, deniedPaths, variables } = grants;
    return [
      ...[hosts.length, paths.length, deniedPaths.length],
      ...[Object.keys(variables).length, warnings.length],
    ];
  };
  assertEquals(counts("weather"), [1, 0, 0, 1, 0]);
  assertEquals(counts("storage"), [0, 2, 0, 0, 1]);
  assertEquals(counts("file-search"), [0, 0, 0, 0, 0]);
  assertEquals(counts("defaults"), [1, 0, 0, 0, 1]);
  assertEquals(counts("search"), [1, 0, 0, 0, 1]);
  assertEquals(counts("comprehensive"), [3, 1, 1, 2, 4]);
  // It shows all of the machine, which no guest gets.
  assertRefused(() => counts("filesystem"), "is all of this machine");
});

/** The message of the user's error that a step throws. */
function refusedBy(step: () => unknown): string {
  let said = "";
  assertThrows(step, (error) => {
    said = error instanceof UserError ? unhintedMessageOf(error) : "";
    return said !== "";
  });
  return said;
}

function assertRefused(step: () => unknown, says: string): void {
  const said = refusedBy(step);
  assert(said.includes(says), said);
}

const ROOM = "version: '1.0'\npermissions: ";
/** Texts, and what the error of each says behind the file's name. */
const BAD: Record<string, string | RegExp> = {
  "": 'it is empty: write version: "1.0" and permissions: {} to grant nothing.',
  "permissions: {}":
    "line 1, version is missing: it must be a number or a text.",
  "version: 2": 'line 1, version must be "1.0", and not 2.',
  "version: '1.0'\npermisions: {}":
    "line 2, permisions is a key that no policy has. Did you mean permissions?",
  "version: '1.0'\npermissions:\n  storage:\n    alow: []":
    "line 4, permissions.storage.alow is a key that no policy has. Did you mean allow?",
  "version: '1.0'\nversion: '1.0'":
    "line 2 is not YAML: Map keys must be unique.",
  "version: '1.0'\npermissions:\n\tstorage: {}":
    "line 3 is not YAML: Tabs are not allowed as indentation.",
  "version: !secret '1.0'": "line 1 is not YAML: Unresolved tag: !secret.",
  "--- 1\n--- 2": /^line 2 is not YAML: Source contains multiple documents/,
  "[]": "line 1, the policy must be keys with values.",
  "just text": "line 1, the policy must be keys with values.",
  [`a: &a [1,1,1,1]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c]`]:
    "it repeats more by aliases than the 10 that are read.",
  ["#".repeat(70_000)]: "it has 70000 characters, and at most 65536 are read.",
  ["[".repeat(60_000)]: /^line 1 is not YAML: /,
  [`${ROOM}[]`]: "line 2, permissions must be keys with values.",
  [`${ROOM}{ storage: { allow: fs:///x } }`]:
    "line 2, permissions.storage.allow must be a list, whose entries start with a dash.",
  [`${ROOM}{ storage: { allow: [{ uri: fs:///x }] } }`]:
    "line 2, permissions.storage.allow[0].access is missing: it must be a list, whose entries start with a dash.",
  [`${ROOM}{ storage: { allow: [{ uri: fs:///x, access: [] }] } }`]:
    "line 2, permissions.storage.allow[0].access must not be empty.",
  [`${ROOM}{ storage: { allow: [{ uri: fs:///x, access: [execute] }] } }`]:
    "line 2, permissions.storage.allow[0].access[0] must be read or write.",
  [`${ROOM}{ storage: { deny: [{ uri: fs:///x, access: [read], x-mount: /y }] } }`]:
    "line 2, permissions.storage.deny[0].x-mount is a key that no policy has.",
  [`${ROOM}{ environment: { deny: [{ key: A }] } }`]:
    "line 2, permissions.environment.deny is a key that no policy has.",
  [`${ROOM}{ environment: { allow: [{ key: "A*" }] } }`]:
    'line 2, permissions.environment.allow[0].key must be the name of one variable, of letters, digits and _, and not "A*".',
  [`${ROOM}{ resources: { limits: { memory: much } } }`]:
    'line 2, permissions.resources.limits.memory must be a size from 1Mi to 4Gi, such as 512Mi, and not "much".',
  "version: '1.0'\nx-limits: { timeout: 0s }":
    'line 2, x-limits.timeout must be a time such as 500ms, 30s or 2m, of at most a day, and not "0s".',
  "version: '1.0'\nx-limits: { output: 1.5 }":
    "line 2, x-limits.output must be a whole number.",
  "version: '1.0'\nx-instance: often":
    "line 2, x-instance must be fresh or kept.",
};
for (const [text, says] of Object.entries(BAD)) {
  const name = JSON.stringify(text.slice(0, 60));
  Deno.test(`readPolicy() refuses ${name} by one error`, () => {
    const [, said = ""] =
      /^Cannot use the policy "\/p\/policy.yaml": (.*)$/s.exec(
        refusedBy(() => readPolicy(text, PLACE)),
      ) ?? [];
    if (says instanceof RegExp) assert(says.test(said), said);
    else assertEquals(said, says);
  });
}

const BAD_PATHS: Record<string, string> = {
  "file:///x": "must be a URI such as fs:///data/** or fs://data/file.csv",
  "fs://": "must be a URI such as",
  "fs://../x": "leaves the folder of the policy: write it absolute, fs:///x",
  "fs://data/../../x/**": "leaves the folder of the policy",
  "fs://out": "leaves the folder of the policy: write it absolute, fs:///x/y",
  "fs:///": "is all of this machine: name a folder",
  "fs:///**": "is all of this machine: name a folder",
  "fs:///missing": 'does not exist: make "/missing", or name another path',
  "fs://data/file.csv/**": "is a file: leave out /**",
  "fs://data/*.csv": "must not have a pattern but /** at its end",
  "fs://data/**/x": "must not have a pattern",
  "fs:///a,b": 'leads to "/a,b", which has a comma',
  "fs:///x\\0": "does not exist",
};
for (const [uri, says] of Object.entries(BAD_PATHS)) {
  Deno.test(`readPolicy() refuses to grant ${uri}`, () => {
    assertRefused(
      () => storage(`{ uri: ${JSON.stringify(uri)}, access: [read] }`),
      `line 2, permissions.storage.allow[0].uri ${JSON.stringify(uri)} ${says}`,
    );
  });
}

Deno.test("readPolicy() refuses a link to a path with a comma, and a guest path that is not one", () => {
  assertRefused(
    () => storage(`{ uri: fs:///p/comma, access: [read] }`),
    'leads to "/a,b", which has a comma',
  );
  for (const path of ["data", "/", "/a/../b", "/a:b", "/a//b"]) {
    assertRefused(
      () => storage(`{ uri: fs:///x, access: [read], x-mount: "${path}" }`),
      `permissions.storage.allow[0].x-mount must be an absolute path such as /data, and not "${path}"`,
    );
  }
});

const BAD_HOSTS: Record<string, string> = {
  '{ host: "*" }': 'host must not be "*" alone, which is any host: name hosts',
  "{ host: https://a.example/path }":
    'without a path, and not "https://a.example/path": write a.example',
  "{ host: a.example/path }": 'and not "a.example/path": write a.example',
  '{ host: "a.*.example" }': "must be a host such as",
  '{ host: "**.example" }': "must be a host such as",
  "{ host: a.example:99999 }": "must be a host such as",
  "{ host: 10.0.0.0/8 }": 'must not be a range: write cidr: "10.0.0.0/8"',
  "{ cidr: 10.0.0.1 }": "must be a range of IPv4 from its first address",
  "{ cidr: 10.0.0.1/8 }": "must be a range of IPv4 from its first address",
  "{ cidr: fd00::/8 }": "must be a range of IPv4 from its first address",
  "{ cidr: 0.0.0.0/0 }":
    "which also holds 0.0.0.0/8, outside the internet: name the ranges apart",
  "{ cidr: 8.0.0.0/5 }": "which also holds 10.0.0.0/8",
  "{ host: a.example, cidr: 10.0.0.0/8 }": "must have one key, host or cidr",
  "{}": "must have one key, host or cidr",
  '{ host: "*.a.example" }, { host: "a.example:443" }':
    "as one port cannot be told apart: write a.example, or *.a.example:443",
};
for (const [entry, says] of Object.entries(BAD_HOSTS)) {
  Deno.test(`readPolicy() refuses to grant ${entry}`, () => {
    const said = refusedBy(() => network(entry));
    assert(/line 2, permissions\.network\.allow\[/.test(said), said);
    assert(said.includes(says), said);
  });
}

Deno.test("readPolicy() refuses a denied wildcard within a granted one, which Deno cannot close", () => {
  assertRefused(
    () => network(`{ host: "*.a.example" }`, `{ host: "*.b.a.example" }`),
    "cannot close *.b.a.example within *.a.example: name the hosts to close",
  );
});

Deno.test("readPolicy() lets no guest write its own policy", () => {
  for (const uri of ["fs://./**", "fs:///p/**"]) {
    const said = refusedBy(() =>
      storage(`{ uri: "${uri}", access: [read, write] }`)
    );
    assert(said.includes('lets its guest write this policy, which is in "/p"'));
    storage(`{ uri: "${uri}", access: [read] }`);
  }
  storage('{ uri: "fs://./data/**", access: [read, write] }');
});
