import { join } from "node:path";
import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { mountDisk, whyNoTmpfs } from "../../test/support/disk.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { log } from "../log.ts";
import { sha256 } from "../disk.ts";
import type {
  InstallEvent,
  WheelAddress,
} from "../environments/phase_1/messages.ts";
import type { Answer } from "./downloads.ts";
import { WheelStore } from "./wheel_store.ts";

const NO_TMPFS = await whyNoTmpfs();
if (NO_TMPFS) log(`skipped: a wheel on a full disk: ${NO_TMPFS}`);

const FILE = "x-1.0-py3-none-any.whl";
const CONTENTS = new TextEncoder().encode("a wheel");
const HASH = sha256(CONTENTS);
const [OURS, THEIRS, FOREIGN] = ["ours", "theirs", "foreign"].map(sha256);
const WHEEL: WheelAddress = { url: `https://h.example/${FILE}`, file: FILE };

type Body = Answer["body"];

/** A web in which each address has the same. */
class Web {
  opened = 0;
  closed = 0;
  #body: () => Body;
  #status: number;

  constructor(body: () => Body, status = 200) {
    this.#body = body;
    this.#status = status;
  }

  open = (url: string): Promise<Answer> => {
    this.opened++;
    return Promise.resolve({
      ...{ status: this.#status, url, contentType: "", body: this.#body() },
      [Symbol.asyncDispose]: () => {
        this.closed++;
        return Promise.resolve();
      },
    });
  };
}

async function* pieces(...all: Uint8Array<ArrayBuffer>[]): Body {
  yield* all;
}

const given = () =>
  new Web(() => pieces(CONTENTS.slice(0, 3), CONTENTS.slice(3)));

function openStore(
  cacheDir: string,
  { open }: Web,
  report: (event: InstallEvent) => void = () => {},
): WheelStore {
  const origins = [OURS ?? "", THEIRS ?? ""];
  return new WheelStore({ cacheDir }, { open, report, origins });
}

async function originsIn(cacheDir: string): Promise<string[]> {
  const [file] = await openStore(cacheDir, given()).list();
  return file?.origins.toSorted() ?? [];
}

function refusal(message: RegExp): { name: string; message: RegExp } {
  return { name: "UserError", message };
}

Deno.test("WheelStore takes no wheel for another of the same address", async () => {
  await using cache = await tempFolder();
  const store = openStore(cache.path, given());
  assertEquals((await store.get({ ...WHEEL, sha256: HASH })).sha256, HASH);
  const other = { ...WHEEL, sha256: sha256("another wheel") };
  for (const wheel of [other, { ...other, file: "y-1.0-py3-none-any.whl" }]) {
    await assertRejects(() => store.read(wheel), refusal(/^Cannot trust/));
  }
});

Deno.test("WheelStore checks a wheel of each cache", async () => {
  await using root = await tempFolder();
  const [cacheDir, otherCacheDir] = await root.make("own", "other");
  for (const folder of [cacheDir, otherCacheDir]) {
    await Deno.mkdir(join(folder, "wheels", HASH), { recursive: true });
    await Deno.writeTextFile(join(folder, "wheels", HASH, FILE), "A WHEEL");
  }
  const { open } = given();
  const options = { open, report: () => {}, origins: [] };
  const store = new WheelStore({ cacheDir, otherCacheDir }, options);
  const { body } = await store.read({ ...WHEEL, sha256: HASH });
  assertEquals(body, CONTENTS);
});

/** Names of all that is in the folder of wheels. */
async function namesIn(cacheDir: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(cacheDir, "wheels")));
  return entries.map(({ name }) => name);
}

Deno.test("WheelStore downloads a wheel once, and lists it", async () => {
  await using cache = await tempFolder();
  const web = given();
  const events: InstallEvent[] = [];
  const store = openStore(cache.path, web, (event) => events.push(event));
  const path = join(cache.path, "wheels", HASH, FILE);
  const stored = { path, sha256: HASH, size: CONTENTS.length };
  assertEquals(
    await Promise.all([store.get(WHEEL), store.get(WHEEL)]),
    [stored, stored],
  );
  assertEquals(await store.read(WHEEL), { ...stored, body: CONTENTS });
  assertEquals([web.opened, web.closed], [1, 1]);
  assertEquals(events.at(-1), {
    ...{ type: "downloaded", file: FILE },
    ...{ size: CONTENTS.length, local: false },
  });
  const [file, ...more] = await store.list();
  assertEquals([file?.filename, file?.sha256, more], [FILE, HASH, []]);
});

Deno.test("WheelStore notes each source that has a wheel, downloaded or found", async () => {
  await using cache = await tempFolder();
  await openStore(cache.path, given()).get({ ...WHEEL, origin: OURS });
  assertEquals(await originsIn(cache.path), [OURS ?? ""]);
  const web = given();
  const another = openStore(cache.path, web);
  await another.get({ ...WHEEL, sha256: HASH, origin: THEIRS });
  assertEquals(web.opened, 0);
  assertEquals(
    await originsIn(cache.path),
    [OURS ?? "", THEIRS ?? ""].toSorted(),
  );
});

Deno.test("WheelStore notes sources of its order alone, by their ids", async () => {
  await using cache = await tempFolder();
  for (const origin of [FOREIGN, "../../escaped", "", null, undefined]) {
    await openStore(cache.path, given()).get({ ...WHEEL, origin });
  }
  assertEquals(await originsIn(cache.path), []);
  assertEquals(await namesIn(cache.path), [HASH]);
});

Deno.test("WheelStore takes a wheel from a cache that it only reads, unless it is damaged there", async () => {
  await using folders = await tempFolder();
  const [cacheDir, otherCacheDir] = await folders.make("own", "other");
  const { path } = await openStore(otherCacheDir, given()).get(WHEEL);
  const web = given();
  const wheel = { ...WHEEL, sha256: HASH, origin: OURS };
  const options = { open: web.open, report: () => {}, origins: [OURS ?? ""] };
  const open = () => new WheelStore({ cacheDir, otherCacheDir }, options);
  const found = await open().read(wheel);
  assertEquals([found.path, found.body, web.opened], [path, CONTENTS, 0]);
  assertEquals((await open().list()).map(({ sha256 }) => sha256), [HASH]);
  // Its folder takes no note, either.
  assertEquals(await originsIn(otherCacheDir), []);

  await Deno.writeTextFile(path, "a whale");
  const { path: own, body } = await open().read(wheel);
  assertEquals([own.startsWith(cacheDir), body, web.opened], [
    true,
    CONTENTS,
    1,
  ]);
});

const REFUSED: Record<
  string,
  { web: Web; wheel?: Partial<WheelAddress>; says: RegExp; opened?: number }
> = {
  "another hash": {
    web: given(),
    wheel: { sha256: sha256("else") },
    says:
      /^Cannot trust x-1\.0-py3-none-any\.whl: its sha256 is \w+, and should be /,
    opened: 3,
  },
  "more bytes than its source says": {
    web: given(),
    wheel: { size: CONTENTS.length - 1 },
    says:
      /^Cannot download x-1\S+ from h\.example: it is larger than 6 bytes\. Try/,
  },
  "a cause that ends its own sentence": {
    web: new Web(() => {
      throw new Error("outer", { cause: new Error("Connection refused.") });
    }),
    says: /^Cannot download x-1\S+ from h\.example: Connection refused\. Try/,
  },
  "a body that breaks": {
    web: new Web(async function* () {
      yield CONTENTS;
      throw new Error("certificate is not valid");
    }),
    says: /from h\.example: certificate is not valid \(/,
  },
  "a status": {
    web: new Web(() => pieces(), 404),
    says: /from h\.example: it answered with status 404\. Try/,
  },
};

for (
  const [name, { web, wheel, says, opened = 1 }] of Object.entries(REFUSED)
) {
  Deno.test(`WheelStore refuses ${name}, and keeps nothing`, async () => {
    await using cache = await tempFolder();
    const store = openStore(cache.path, web);
    const wanted = { ...WHEEL, origin: OURS, ...wheel };
    await assertRejects(() => store.get(wanted), refusal(says));
    assertEquals(web.opened, opened);
    assertEquals((await store.list()).length, 0);
    assertEquals(await namesIn(cache.path).catch(() => []), []);
  });
}

Deno.test("WheelStore ends an answer that it does not read", async () => {
  await using cache = await tempFolder();
  const web = new Web(() => pieces(CONTENTS), 404);
  await assertRejects(
    () => openStore(cache.path, web).get(WHEEL),
    /status 404/,
  );
  assertEquals([web.opened, web.closed], [1, 1]);
});

Deno.test("WheelStore downloads a wheel again that is damaged, but not one of the cache itself", async () => {
  await using cache = await tempFolder();
  const web = given();
  const store = openStore(cache.path, web);
  const { path } = await store.get(WHEEL);
  await Deno.writeTextFile(path, "a whale");
  assertEquals((await store.read(WHEEL)).body, CONTENTS);
  assertEquals(web.opened, 2);
  await Deno.writeTextFile(path, "a whale");
  const [file] = await store.list();
  assert(file);
  const own = { ...WHEEL, url: file.url, sha256: file.sha256 };
  await assertRejects(
    () => store.read(own),
    refusal(/is damaged in the cache\. Start once without --offline\.$/),
  );
});

Deno.test({
  name: "WheelStore tells that the disk is full, at once and with the remedy",
  ignore: Boolean(NO_TMPFS),
  async fn() {
    await using disk = await mountDisk("size=1m");
    const web = new Web(() =>
      pieces(...Array.from({ length: 4 }, () => new Uint8Array(1 << 19)))
    );
    await assertRejects(
      () => openStore(disk.folder, web).get(WHEEL),
      refusal(
        /^Cannot use the cache in \S+: No space left on device\. Make room on its disk, or choose another folder with --cache-dir\.$/,
      ),
    );
    assertEquals([web.opened, web.closed], [1, 1]);
    assertEquals(await namesIn(disk.folder), []);
  },
});
