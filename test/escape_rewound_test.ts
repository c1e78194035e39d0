/**
 * Runs that try to survive a rewind: whatever a run leaves behind, and wherever, a
 * later run in the same interpreter finds nothing of it, and nothing of it acts.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { networkOf, readFiles } from "./support/interpreter.ts";
import { type Attack, ATTACKS } from "./support/rewinding/attacks.ts";
import { differ } from "./support/rewinding/differ.ts";
import inventory from "./support/rewinding/inventory.py" with { type: "text" };
import javascript from "./support/rewinding/javascript.py" with {
  type: "text",
};
import {
  openRealm,
  type Realm,
  runClean,
  save,
  SETUP,
} from "./support/rewinding/realm.ts";
import { someOf } from "./support/rounds.ts";

/** `REWIND_ATTACK` chooses one. */
function chosen(): [name: string, attack: Attack][] {
  const only = Deno.env.get("REWIND_ATTACK");
  if (only) return Object.entries(ATTACKS).filter(([name]) => name === only);
  return someOf(ATTACKS, [
    ...["interned strings", "objects of JavaScript", "promises of Python"],
    ...["finalizers", "proxies that are dropped", "entries of the table"],
    ...["profiles, monitors and audits", "stdout that was replaced"],
    ...["half a character", "contents of files that were there", "devices"],
    ...["timers of asyncio", "stacks in stacks", "callables of Pyodide"],
    ...["stacks that are suspended for good", "callbacks of callbacks"],
    ...["requests on the network", "interrupts that are held"],
    ...["calls on the host that time out", "an interrupt that comes late"],
    ...["code of functions that are shared", "a full stack"],
  ]);
}

const MARKER = "leaked_marker_of_a_run";

/** Bytes of a character in Python's memory. */
const WIDTHS = [1, 2, 4];

/** Lets what was left have its turns; waits longer than it would. */
const WAIT = `
import asyncio
for _ in range(20): await asyncio.sleep(0)
await asyncio.sleep(0.06)
"waited"`;

Deno.test("escape: nothing that a run leaves behind survives a rewind", async (t) => {
  const files = await readFiles();
  const ends: Record<string, string[]> = {};
  const answers = new Map<string, Promise<string[]>>();
  for (const [name, attack] of chosen()) {
    await t.step(name, async () => {
      await using realm = await openRealm(files);
      const end = await survive(realm, attack);
      (ends[end] ??= []).push(name);
    });
  }
  for (const [end, names] of Object.entries(ends)) {
    log(`${end}: ${names.length} (${names.join(", ")})`);
  }

  /** Gives why the interpreter was made anew, or that it was rewound. */
  async function survive(realm: Realm, attack: Attack): Promise<string> {
    await realm.run(attack.leave, { MARKER });
    attack.before?.(realm);
    const anew = await realm.rewind();
    // The code of the next run must not have the marker that it looks for.
    const code = `${attack.trigger ?? ""}\n${WAIT}`;
    const heard = realm.run(code);
    attack.during?.(realm);
    assertEquals(differ("next", [await heard], await clean(code)), []);
    if (anew) return `${anew.cause}: ${anew.detail}`;
    const next = await realm.rewind();
    if (next) return `rewound once, then ${next.cause}: ${next.detail}`;
    const looked = await realm.run(inventory, { LEVEL: "all" });
    const expected = await clean(inventory, { LEVEL: "all" });
    assertEquals(differ("inventory", [looked], expected), []);
    assertEquals(await realm.rewind(), undefined);
    const seen = await realm.run(javascript);
    assertEquals(differ("JavaScript", [seen], await clean(javascript)), []);
    assert(!await leavesMarker(attack));
    return "rewound";
  }

  /** Whether memory and files have the marker: a checkpoint shows all that has changed. */
  async function leavesMarker(attack: Attack): Promise<boolean> {
    await using realm = await openRealm(files);
    await realm.run(attack.leave, { MARKER });
    if (await realm.rewind()) return false;
    return hasMarker(await save(realm.interpreter));
  }

  function clean(code: string, globals = {}): Promise<string[]> {
    const answer = answers.get(code) ?? runClean(files, code, globals);
    answers.set(code, answer);
    return answer;
  }
});

Deno.test("escape: random numbers are drawn anew after each rewind", async () => {
  await using realm = await openRealm(await readFiles());
  const drawn = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const all = JSON.parse(toValue(await realm.run(DRAW)));
    for (const one of all) drawn.add(String(one));
    assertEquals(drawn.size, all.length * (round + 1), [...drawn].join("\n"));
    assertEquals(await realm.rewind(), undefined);
  }
});

const ROUNDS = 3;
const DRAW = `
import os, random, secrets, tempfile, uuid
drawn = [random.random(), random.Random().random(), os.urandom(8).hex(), secrets.token_hex(8), tempfile.mktemp(), str(uuid.uuid4())]
random.seed(7)
tempfile._name_sequence = iter("x")
random.SystemRandom.random = os.urandom = lambda *_: b"x"
drawn`;

Deno.test("escape: a run does not see how many requests the runs before it have made", async () => {
  await using realm = await openRealm(await readFiles());
  const code =
    "from mcp_runner import network\n[network._make_id() for _ in range(3)]";
  for (let round = 0; round < ROUNDS; round++) {
    assertEquals(toValue(await realm.run(code)), "[1,2,3]");
    assertEquals(await realm.rewind(), undefined);
  }
});

Deno.test("escape: an interrupt between a run's end and the rewind ends with the run", async () => {
  await using realm = await openRealm(await readFiles());
  for (let round = 0; round < ROUNDS; round++) {
    await realm.run("1");
    realm.interpreter.interrupt();
    assertEquals(await realm.rewind(), undefined);
    assertEquals(toValue(await realm.run("2")), "2");
    assertEquals(await realm.rewind(), undefined);
  }
});

Deno.test("escape: a session that opens in a rewound interpreter is saved without those before", async () => {
  const files = await readFiles();
  const leave = `left = [MARKER] * 1000; open("left", "w").write(MARKER)`;
  await using other = await openRealm(files);
  await other.run(leave, { MARKER });
  assert(hasMarker(await save(other.interpreter)));
  await using realm = await openRealm(files);
  await realm.run(leave, { MARKER });
  assertEquals(await realm.rewind(), undefined);
  await realm.run("mine = 3; open('mine', 'w').write('mine')");
  const bytes = await save(realm.interpreter);
  assert(!hasMarker(bytes));
  const from = { bytes, fork: false };
  await using again = await openRealm(files, { setup: SETUP, from });
  const code = `import os
[mine, "left" in globals(), sorted(os.listdir("."))]`;
  const value = JSON.stringify([3, false, ["given", "mine"]]);
  for (const one of [realm, again]) {
    assertEquals(toValue(await one.run(code)), value);
  }
});

function hasMarker(bytes: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(bytes);
  return WIDTHS.some((width) =>
    text.includes([...MARKER].join("\0".repeat(width - 1)))
  );
}

/** The value at the end of what a client sees. */
function toValue(heard: string): string {
  return JSON.parse(heard.split("\n").at(-1) ?? "").value;
}

Deno.test("escape: no run answers the requests of the next run, by numbers that it makes up", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => {
      const { pathname } = new URL(url);
      return new Response(pathname, {
        ...pathname === "/attacker"
          ? { status: 302, headers: { location: "/evil" } }
          : {},
      });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const request =
    `{"method": "GET", "url": "http://${host}/attacker", "headers": []}`;
  const files = await readFiles();
  await using realm = await openRealm(files, networkOf([host]));
  for (let times = 0; times < 5; times++) {
    await realm.run(`
import mcp_runner.network as network
for number in [*range(1000, 3000), 1, float("nan"), float("inf")]:
    network._read(number)
kept = network._begin(1, '${request}', None)`);
    await realm.rewind();
    const victim = await realm.run(
      `import urllib.request\nurllib.request.urlopen("http://${host}/victim").read().decode()`,
    );
    assert(victim.includes("/victim"), victim);
    await realm.rewind();
  }
});
