/**
 * Saved sessions in real sandbox processes: another process goes on where the first
 * was.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import type { Session } from "../src/server/pool/pool.ts";
import { type BareSandbox, startBareSandbox } from "./support/bare_process.ts";
import { connect } from "./support/pool_process.ts";
import { REQUEST, SETUP } from "./support/request.ts";

/** A pool that starts a real sandbox process for each session. */
function openPool() {
  const started: Promise<BareSandbox>[] = [];
  const spawn = () => {
    const starting = startBareSandbox();
    started.push(starting);
    return connect(starting);
  };
  const sizes = { ready: 1, running: 2, waiting: 9 };
  const pool = new LocalPool(spawn, sizes, { setup: SETUP });
  return {
    pool,
    async open(from?: { pieces: Uint8Array[]; fork: boolean }) {
      const session = await pool.open(from ? { from } : {});
      assert("close" in session, JSON.stringify(session));
      return session;
    },
    async [Symbol.asyncDispose]() {
      pool.close();
      for (const one of await Promise.all(started)) {
        await one[Symbol.asyncDispose]();
      }
    },
  };
}

async function run(session: Session, code: string) {
  return await session.run({ ...REQUEST, code });
}

/** The value of code that must succeed. */
async function valueOf(session: Session, code: string): Promise<unknown> {
  const result = await run(session, code);
  assertEquals(result.status, "success", JSON.stringify(result));
  return "returnValue" in result ? result.returnValue : undefined;
}

async function save(session: Session): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const saved = await session.save((piece) => {
    pieces.push(piece);
    return Promise.resolve();
  });
  assert("bytes" in saved, JSON.stringify(saved));
  assertEquals(
    saved.bytes,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  return pieces;
}

Deno.test("another process goes on with a saved session", async () => {
  await using pool = openPool();
  const first = await pool.open();
  await run(
    first,
    `
import json, sqlite3
from dataclasses import dataclass
x = 41
def add(n): return n + x
@dataclass
class Point:
    a: int
point = Point(3)
numbers = (n * n for n in range(10)); next(numbers); next(numbers)
open("/workspace/a.txt", "w").write("hello")
opened = open("/workspace/b.txt", "w+"); opened.write("abcdef"); opened.flush(); opened.seek(3)
db = sqlite3.connect(":memory:"); db.execute("create table t(a)"); db.execute("insert into t values(5)")`,
  );
  const look =
    "[add(1), str(point), next(numbers), open('/workspace/a.txt').read(), opened.read(), db.execute('select a from t').fetchall()]";
  const pieces = await save(first);
  const second = await pool.open({ pieces, fork: false });
  const expected = [42, "Point(a=3)", 4, "hello", "def", [[5]]];
  assertEquals(await valueOf(second, look), expected);
  assertEquals(await valueOf(first, look), expected);
});
