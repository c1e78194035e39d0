/**
 * What policies allow and deny, as data: each guest (Python, components, servers behind
 * `wrap`) tries the same.
 *
 * @module
 */
import { join } from "node:path";
import { tempFolder } from "./folder.ts";
import { startWebServer } from "./web_server.ts";

/** Something that a guest tries, of this machine. */
export type Attempt =
  /** The path is below the folder of the policy. */
  | { kind: "read" | "write"; path: string }
  /** A host with its port; `http://<host>/x` is asked for. */
  | { kind: "net"; host: string }
  | { kind: "env"; name: string };

export interface PolicyCase {
  name: string;
  /** The policy's YAML, behind its version. */
  policy: string;
  /** Each attempt, and whether the wall lets it pass: a host may still be unknown. */
  attempts: [attempt: Attempt, isAllowed: boolean][];
}

/** The folder of policies, and the hosts that cases name. */
export interface PolicyGround extends AsyncDisposable {
  folder: string;
  cases: PolicyCase[];
  /** Variables to start a guest's launcher with. */
  env: Record<string, string>;
  /** Writes the policy of a case; gives its path. */
  write(one: PolicyCase): Promise<string>;
}

/** Makes folder and web servers, and the cases that name them. */
export async function layPolicyGround(): Promise<PolicyGround> {
  const temp = await tempFolder();
  const [data, secret, sub, out, outside] = await temp.make(
    "data",
    "data/secret",
    "data/sub",
    "out",
    "outside",
  );
  await Deno.mkdir(join(sub, "inner"));
  for (const folder of [data, secret, sub, join(sub, "inner"), outside]) {
    await Deno.writeTextFile(join(folder, "file.txt"), "text");
  }
  await Deno.symlink("secret/file.txt", join(data, "to-secret"));
  await Deno.symlink("secret", join(data, "to-folder"));
  await Deno.symlink("../outside/file.txt", join(data, "to-outside"));
  await Deno.symlink("data", join(temp.path, "linked"));
  await Deno.writeTextFile(join(out, "file.txt"), "text");
  const web = startWebServer();
  const other = startWebServer();
  const rebound = await nameOfLoopback();
  return {
    folder: temp.path,
    cases: [
      ...FILE_CASES,
      ...ENV_CASES,
      ...netCases({ web: web.port, other: other.port }),
      ...(rebound === undefined ? [] : reboundCases(rebound, web.port)),
    ],
    env: { POLICY_GRANTED: "yes", POLICY_HELD_BACK: "yes" },
    async write(one) {
      const path = join(temp.path, `policy-${crypto.randomUUID()}.yaml`);
      await Deno.writeTextFile(path, `version: "1.0"\n${one.policy}`);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const read = (path: string): Attempt => ({ kind: "read", path });
const write = (path: string): Attempt => ({ kind: "write", path });
const env = (name: string): Attempt => ({ kind: "env", name });
const net = (host: string): Attempt => ({ kind: "net", host });

const FILE_CASES: PolicyCase[] = [
  {
    name: "nothing is granted",
    policy: "permissions: {}\n",
    attempts: [
      [read("data/file.txt"), false],
      [write("out/new.txt"), false],
      [net("127.0.0.1:80"), false],
      [env("POLICY_GRANTED"), false],
    ],
  },
  {
    name: "a tree to read, a folder to write",
    policy: `
permissions:
  storage:
    allow:
      - { uri: "fs://data/**", access: [read] }
      - { uri: "fs://out", access: [read, write] }
`,
    attempts: [
      [read("data/file.txt"), true],
      [read("data/sub/file.txt"), true],
      [read("data/to-secret"), true],
      [read("data/to-outside"), false],
      [write("data/file.txt"), false],
      [write("data/new.txt"), false],
      [read("out/file.txt"), true],
      [write("out/new.txt"), true],
      [read("outside/file.txt"), false],
    ],
  },
  {
    name: "denials within a tree, and links to them",
    policy: `
permissions:
  storage:
    allow:
      - { uri: "fs://data/**", access: [read, write] }
    deny:
      - { uri: "fs://data/secret/**", access: [read, write] }
      - { uri: "fs://data/sub", access: [write] }
`,
    attempts: [
      [read("data/file.txt"), true],
      [write("data/new.txt"), true],
      [read("data/secret/file.txt"), false],
      [write("data/secret/new.txt"), false],
      [read("data/to-secret"), false],
      [read("data/to-folder/file.txt"), false],
      [write("data/to-folder/new.txt"), false],
      [read("data/sub/file.txt"), true],
      [read("data/sub/inner/file.txt"), true],
      [write("data/sub/inner/new.txt"), false],
    ],
  },
  {
    name: "a denial around a grant, and a link to a granted folder",
    policy: `
permissions:
  storage:
    allow:
      - { uri: "fs://data/sub/**", access: [read] }
      - { uri: "fs://out/**", access: [read, write] }
    deny:
      - { uri: "fs://linked/**", access: [read] }
      - { uri: "fs://out/**", access: [write] }
`,
    attempts: [
      [read("data/sub/file.txt"), false],
      [read("data/file.txt"), false],
      [read("out/file.txt"), true],
      [write("out/new.txt"), false],
    ],
  },
];

const ENV_CASES: PolicyCase[] = [{
  name: "a variable",
  policy: `
permissions:
  environment:
    allow: [{ key: POLICY_GRANTED }]
`,
  attempts: [
    [env("POLICY_GRANTED"), true],
    [env("POLICY_HELD_BACK"), false],
  ],
}];

function netCases(
  { web, other }: Record<"web" | "other", number>,
): PolicyCase[] {
  return [
    {
      name: "a port of an address that is listed literally",
      policy: `
permissions:
  network:
    allow: [{ host: "127.0.0.1:${web}" }]
`,
      attempts: [
        [net(`127.0.0.1:${web}`), true],
        [net(`127.0.0.1:${other}`), false],
        [net(`localhost:${web}`), false],
        [net(`127.0.0.2:${web}`), false],
      ],
    },
    {
      name: "a range, and denials within it",
      policy: `
permissions:
  network:
    allow: [{ cidr: 127.0.0.0/8 }]
    deny: [{ host: "127.0.0.1:${other}" }, { cidr: 127.1.0.0/16 }]
`,
      attempts: [
        [net(`127.0.0.1:${web}`), true],
        [net(`127.0.0.1:${other}`), false],
        [net(`127.1.2.3:${web}`), false],
        [net("10.0.0.1:80"), false],
      ],
    },
    {
      name: "a wildcard is the hosts below, on its port",
      policy: `
permissions:
  network:
    allow:
      - { host: "*.one.invalid" }
      - { host: "*.two.invalid:8080" }
      - { host: three.invalid }
    deny:
      - { host: bad.one.invalid }
      - { host: bad.two.invalid }
      - { host: "*.three.invalid" }
`,
      attempts: [
        [net("a.one.invalid:80"), true],
        [net("a.b.one.invalid:81"), true],
        [net("one.invalid:80"), false],
        [net("bad.one.invalid:80"), false],
        [net("a.two.invalid:8080"), true],
        [net("a.two.invalid:80"), false],
        [net("two.invalid:8080"), false],
        [net("bad.two.invalid:8080"), false],
        [net("three.invalid:80"), true],
        [net("a.three.invalid:80"), false],
        [net("four.invalid:80"), false],
      ],
    },
    {
      name: "a denial of all hosts beats each grant",
      policy: `
permissions:
  network:
    allow: [{ host: "127.0.0.1:${web}" }]
    deny: [{ host: "*" }]
`,
      attempts: [[net(`127.0.0.1:${web}`), false]],
    },
  ];
}

/** A granted name that leads to an address of this machine. */
function reboundCases(name: string, port: number): PolicyCase[] {
  const host = `${name}:${port}`;
  return [
    {
      name: "a granted name that leads to a private address",
      policy: `
permissions:
  network:
    allow: [{ host: "${host}" }]
`,
      attempts: [[net(host), false]],
    },
    {
      name: "a granted name, and its private address listed literally",
      policy: `
permissions:
  network:
    allow: [{ host: "${host}" }, { cidr: 127.0.0.0/8 }]
`,
      attempts: [[net(host), true]],
    },
    {
      name: "a granted name that leads to a denied address",
      policy: `
permissions:
  network:
    allow: [{ host: "${host}" }, { cidr: 127.0.0.0/8 }]
    deny: [{ cidr: 127.0.0.0/16 }]
`,
      attempts: [[net(host), false]],
    },
  ];
}

/** A name of this machine that leads to loopback, if it has one. */
async function nameOfLoopback(): Promise<string | undefined> {
  const name = Deno.hostname().toLowerCase();
  await using web = startWebServer();
  try {
    const response = await fetch(`http://${name}:${web.port}/`);
    await response.body?.cancel();
    return name;
  } catch {
    return undefined;
  }
}
