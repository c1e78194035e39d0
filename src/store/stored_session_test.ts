import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertRejects,
  assertThrows,
} from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import {
  Damage,
  encodeHeader,
  HEADER_BYTES,
  parseHeader,
  startHash,
} from "./session_file.ts";
import { maybeOpenSession, verify } from "./stored_session.ts";

const NO_LINKS = Deno.build.os === "windows" && "needs links and pipes";
if (NO_LINKS) log(`skipped: links in the place of sessions: ${NO_LINKS}`);

const META = {
  ...{ owner: "ada", environment: "e1", created: 1, used: 2, runs: 3 },
};
const BODY = new TextEncoder().encode("state of a session");
const HEADER = {
  meta: META,
  size: BODY.length,
  sha256: startHash(META).update(BODY).digest("hex"),
};
const WHOLE = new Uint8Array([...encodeHeader(HEADER), ...BODY]);

/** Reads a file with these bytes as a store does. */
async function read(bytes: Uint8Array, mostBytes = 100): Promise<string> {
  await using folder = await tempFolder();
  const path = join(folder.path, "file");
  await Deno.writeFile(path, bytes);
  using session = await maybeOpenSession(path, mostBytes);
  assert(session);
  await verify(session);
  assertEquals(session.meta, META);
  return new TextDecoder().decode(await session.read(0));
}

/** A header of other texts, at its full length. */
function header(text: string): Uint8Array {
  const block = new Uint8Array(HEADER_BYTES).fill(32);
  block.set(new TextEncoder().encode(text));
  return block;
}

const isDamage = (error: unknown) => error instanceof Damage;

Deno.test("maybeOpenSession() and verify() read the file that was written", async () => {
  assertEquals(await read(WHOLE), "state of a session");
  assertEquals(await read(WHOLE, BODY.length), "state of a session");
});

Deno.test("maybeOpenSession() takes no file of another length than its header says", async () => {
  const files = [
    new Uint8Array(0),
    WHOLE.subarray(0, 100),
    WHOLE.subarray(0, HEADER_BYTES - 1),
  ];
  for (const bytes of files) {
    await assertRejects(() => read(bytes), isDamage);
  }
  const others = [
    WHOLE.subarray(0, HEADER_BYTES),
    WHOLE.subarray(0, -1),
    new Uint8Array([...WHOLE, 0]),
  ];
  for (const bytes of others) {
    await assertRejects(() => read(bytes), /and not those of its header/);
  }
});

Deno.test("maybeOpenSession() looks at the size of a file before it reads it", async () => {
  await assertRejects(
    () => read(new Uint8Array(HEADER_BYTES + 101)),
    /4197 bytes, which --memory and --max-files-size do not allow/,
  );
});

Deno.test("verify() notices each byte that has changed", async () => {
  for (const at of [0, 30, 60, 200, 1000, HEADER_BYTES - 1, HEADER_BYTES]) {
    const bytes = WHOLE.slice();
    bytes[at]! ^= 1;
    await assertRejects(() => read(bytes), isDamage);
  }
});

Deno.test("verify() notices facts of another session", async () => {
  const meta = { ...META, owner: "eve" };
  const bytes = [...encodeHeader({ ...HEADER, meta }), ...BODY];
  await assertRejects(() => read(new Uint8Array(bytes)), isDamage);
});

Deno.test("parseHeader() reads headers as this program writes them, and no others", () => {
  const line = "mcp-run-python session 1\n";
  const json = (more: object) => JSON.stringify({ ...HEADER, ...more });
  assertEquals(parseHeader(header(`${line}${json({})}\n`)), HEADER);
  const others = [
    "",
    line,
    `${line}null\n`,
    `${line}[]\n`,
    `${line}${json({}).slice(1)}\n`,
    `${line} ${json({})}\n`,
    `${line}${json({})}\n.`,
    `${line}${json({ more: 1 })}\n`,
    `${line}${json({ size: -1 })}\n`,
    `${line}${json({ size: 1e300 })}\n`,
    `${line}${json({ size: "1" })}\n`,
    `${line}${json({ sha256: "00" })}\n`,
    `${line}${json({ meta: { ...META, used: null } })}\n`,
    `${line}${json({ meta: { ...META, owner: 1 } })}\n`,
    `${line}{"__proto__":${json({})}}\n`,
    `mcp-run-python session one\n${json({})}\n`,
    `mcp-run-python  session 1\n${json({})}\n`,
  ];
  for (const text of others) {
    assertThrows(() => parseHeader(header(text)), isDamage);
  }
  assertThrows(() => parseHeader(new Uint8Array(0)), isDamage);
});

Deno.test("parseHeader() says that another version has written a file", () => {
  const other = header("mcp-run-python session 2\nwhatever");
  assertThrows(
    () => parseHeader(other),
    (error) => !isDamage(error) && /version 2/.test(String(error)),
  );
});

Deno.test("encodeHeader() refuses facts that are too long", () => {
  const meta = { ...META, owner: "x".repeat(HEADER_BYTES) };
  assertThrows(() => encodeHeader({ ...HEADER, meta }), /Cannot store facts/);
});

Deno.test({
  name: "maybeOpenSession() opens no link, pipe or folder, and waits for none",
  ignore: Boolean(NO_LINKS),
  async fn() {
    await using folder = await tempFolder();
    const [inner] = await folder.make("folder");
    const path = (name: string) => join(folder.path, name);
    await Deno.writeFile(path("whole"), WHOLE);
    await Deno.symlink(path("whole"), path("link"));
    await Deno.symlink("/dev/zero", path("endless"));
    await Deno.symlink(path("none"), path("dangling"));
    await new Deno.Command("mkfifo", { args: [path("pipe")] }).output();
    const names = ["link", "endless", "dangling", "pipe"].map(path);
    for (const name of [...names, inner]) {
      await assertRejects(() => maybeOpenSession(name, 100), isDamage);
    }
    assertEquals(await maybeOpenSession(path("none"), 100), undefined);
  },
});
