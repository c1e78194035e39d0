/**
 * How the launcher starts each process: with these flags and variables, and no
 * others. What is expected stands here, and is not taken from the source.
 *
 * @module
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { ENGINE } from "../src/engines/index.ts";
import { runPreloader } from "../src/launcher/installing/run_preloader.ts";
import { PACKAGES } from "../src/launcher/program_files.ts";
import type { Echo } from "./support/echo.ts";
import type { Spawned } from "./support/spawn_each.ts";
import type { PreloadOrder } from "../src/environments/phase_1/messages.ts";
import type { ScopePaths } from "../src/grants/permissions.ts";

const AUTHORITY = fromHere("./fixtures/tls/authority.pem");
const NETWORK = {
  ...{ HTTP_PROXY: "http://1.invalid", HTTPS_PROXY: "http://2.invalid" },
  ...{ http_proxy: "http://3.invalid", https_proxy: "http://4.invalid" },
  ...{ NO_PROXY: "5.invalid", no_proxy: "6.invalid" },
};
const CERTIFICATES = {
  ...{ DENO_TLS_CA_STORE: "mozilla", NODE_EXTRA_CA_CERTS: AUTHORITY },
};
/** Where Deno finds what it has cached. */
const CACHED = Object.fromEntries(
  ["DENO_DIR", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE"]
    .concat("SYSTEMROOT")
    .flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
);
/** Of Deno's npm packages here. */
const REGISTRY_HOST = basename(PACKAGES);
const USUAL = {
  ...CACHED,
  NPM_CONFIG_REGISTRY: `https://${REGISTRY_HOST}/`,
  ...{ NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  ...{ MALLOC_MMAP_THRESHOLD_: "1048576", MALLOC_TRIM_THRESHOLD_: "1048576" },
  RUST_MIN_STACK: "16777216",
  GLIBC_TUNABLES: "glibc.malloc.tcache_count=0",
};

const PLACES: ScopePaths = {
  ...{ cache: ["/c"], environment: ["/c/e"], runtime: ["/p"] },
  ...{ program: ["/s", "/d"], sources: ["/w"] },
};

Deno.test("spawn() gives each process the flags of its row, and variables that it needs", async () => {
  const spawned = await spawnEach(PLACES);
  assertEquals(flagsOf(spawned), {
    installer: [
      ...["--allow-read=/c,/w,/p,/s,/d", "--allow-write=/c", "--allow-net"],
    ],
    offlineInstaller: ["--allow-read=/c,/w,/p,/s,/d", "--allow-write=/c"],
    preloader: ["--allow-read=/c/e,/p,/s,/d"],
    server: [],
    sandbox: ["--allow-read=/c/e,/p,/s,/d"],
  });
  const { installer, ...others } = spawned;
  assertEquals(installer.variables, {
    ...{ ...USUAL, ...NETWORK, ...CERTIFICATES },
    DENO_CERT: AUTHORITY,
  });
  for (const [name, { variables }] of Object.entries(others)) {
    assertEquals(variables, USUAL, name);
  }
});

Deno.test("spawn() gives a sandbox with hosts the certificates, and no proxy", async () => {
  const { sandbox } = await spawnEach({ ...PLACES, hosts: ["example.com"] });
  assertEquals(sandbox.variables, {
    ...{ ...USUAL, ...CERTIFICATES, DENO_CERT: AUTHORITY },
  });
  const [, net, denied] = flagsOf({ sandbox }).sandbox ?? [];
  assertEquals(net, "--allow-net=example.com");
  assertMatch(denied ?? "", /^--deny-net=/);
});

Deno.test("runPreloader() puts a sandbox's walls around packages that are imported for the first time", async () => {
  const order: PreloadOrder = {
    runtime: { folder: "/p" },
    environment: "/c/e",
    modules: ["one"],
  };
  const said: string[] = [];
  const ended = Promise.withResolvers<void>();
  await runPreloader(order, {
    send: ({ ended }, piece) =>
      void said.push(ended ?? new TextDecoder().decode(piece)),
    ended: ended.promise,
  }, {
    places: {
      ...{ cache: ["/c"], environment: ["/c/e"], runtime: ["/p"] },
      ...{ program: ["/s"], sources: ["/w"] },
    },
    wall: [
      Deno.execPath(),
      "run",
      "--allow-env",
      fromHere("./support/echo.ts"),
    ],
    engine: ENGINE,
    logs: true,
  });
  assertEquals(said.at(-1), "code 0");
  const { args }: Echo = JSON.parse(said.slice(0, -1).join(""));
  assertEquals(args.slice(2, -2), [
    ...["--quiet", "--cached-only", "--no-prompt", "--allow-read=/c/e,/p,/s"],
    "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=1024,--no-wasm-deopt,--stack-size=7000,--wasm-stack-switching-stack-size=8192",
  ]);
  assertEquals(JSON.parse(args.at(-1) ?? ""), order);
});

/** What of the flags differs; what all have is checked. */
function flagsOf(spawned: Partial<Spawned>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(spawned).map(([name, { args }]) => {
      assertEquals(args.slice(0, 5), [
        ...[Deno.execPath(), "run", "--quiet", "--cached-only", "--no-prompt"],
      ]);
      assertMatch(args.at(-2) ?? "", /^file:.*\/main\.ts$/);
      assertEquals(args.at(-1), JSON.stringify(name));
      return [name, args.slice(5, -2)];
    }),
  );
}

/** Starts each from a process that has more variables than they may have. */
async function spawnEach(places: ScopePaths): Promise<Spawned> {
  const program = fromHere("./support/spawn_each.ts");
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", program, JSON.stringify(places)],
    clearEnv: true,
    env: {
      ...CACHED,
      ...{
        PATH: Deno.env.get("PATH") ?? "",
        SECRET: "x",
        NPM_CONFIG_REGISTRY: `https://ada:secret@${REGISTRY_HOST}/`,
        DENO_AUTH_TOKENS: "",
      },
      ...{ ...NETWORK, ...CERTIFICATES, SSL_CERT_FILE: AUTHORITY },
    },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assertMatch(text, /^{/, new TextDecoder().decode(stderr));
  return JSON.parse(text);
}

function fromHere(path: string): string {
  return fileURLToPath(import.meta.resolve(path));
}
