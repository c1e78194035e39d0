import { Random } from "./random.ts";
import { SESSION_KINDS, type SessionKind } from "./session_kinds.ts";
import { COUNT, SessionModel } from "./session_model.ts";
import { maybeSignal } from "./soak.ts";
import { Tally } from "./tally.ts";
import { processesNamed } from "../../support/processes.ts";
import { startHttp } from "../../support/http_server.ts";
import { type Called, ERAS, type TestClient } from "../../support/server.ts";

export interface CrossingOptions {
  /** Whether each client has a token of its own. */
  hasTokens: boolean;
  /** Whether another call is to be made. */
  goesOn(calls: number): boolean;
  seed: number;
}

/** Sessions of a client; each has a call under way all the time. */
const SESSIONS = 4;
/** A session that is lost is there for a while beside the next. */
const MOST_SESSIONS = 1000;
const SERVER = [
  ...[`+maxSessions=${MOST_SESSIONS}`],
  ...["--max-sessions-memory", "100000", "--memory", "256"],
];

/** All that a call can say, says its nonce. */
const TELLS: SessionKind = {
  name: "tells its nonce in each way",
  weight: 40,
  code: `${COUNT}
import asyncio
from pathlib import Path
notify_progress(offered)
print(offered)
await asyncio.sleep(len(offered) % 3 / 100)
Path(f"{offered}.txt").write_text(offered)
[offered, f"{secret} {count}"]`,
};
const KINDS: [SessionKind, ...SessionKind[]] = [
  TELLS,
  ...SESSION_KINDS.filter(({ name }) =>
    ["fails", "computes for ever", "ends its interpreter", "is cancelled"]
      .includes(name)
  ),
];
/** Share of answers after which a sandbox process is killed. */
const FAULTS = 0.02;
const TIMEOUT_S = 30;
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** What came of it. */
export interface Crossed {
  tally: Tally;
  killed: number;
}

/**
 * Has four clients of a server call it at once, each in four sessions of its own;
 * sandbox processes are killed now and then. Each call has a nonce, and each session
 * a secret and a count, by which each answer is judged.
 */
export async function cross(
  { hasTokens, goesOn, seed }: CrossingOptions,
): Promise<Crossed> {
  const clients = [...ERAS, ...ERAS].map((era) => ({
    era,
    token: crypto.randomUUID(),
  }));
  const tokens = clients.map(({ token }, at) => `client-${at}:${token}`);
  await using server = await startHttp(
    SERVER,
    hasTokens ? { env: { MCP_RUN_PYTHON_TOKEN: tokens.join(",") } } : {},
  );
  const random = new Random(seed);
  const tally = new Tally(KINDS);
  let calls = 0;
  let killed = 0;
  await using stack = new AsyncDisposableStack();
  await Promise.all(clients.map(async ({ era, token }) => {
    const client = stack.use(
      await server.connect(era, hasTokens ? { token } : {}),
    );
    const heard = new Heard(client);
    if (era === "2025-11-25") await client.client.setLoggingLevel("info");
    await Promise.all(Array.from({ length: SESSIONS }, async () => {
      const model = new SessionModel();
      while (goesOn(calls++)) {
        const kind = model.handle === undefined
          ? TELLS
          : random.pickByWeight(KINDS);
        await call(client, { model, kind, heard });
        maybeKill();
      }
    }));
    for (const stray of heard.strays) tally.failed(TELLS, "", stray);
  }));
  return { tally, killed };

  /** Makes a call, and judges its answer. */
  async function call(
    client: TestClient,
    { model, kind, heard }: {
      model: SessionModel;
      kind: SessionKind;
      heard: Heard;
    },
  ): Promise<void> {
    const nonce = model.offer();
    heard.expect(nonce);
    const progress: unknown[] = [];
    const cancel = new AbortController();
    const late = kind.isCancelled
      ? setTimeout(() => cancel.abort(), random.next() * 500)
      : undefined;
    try {
      const called = await client.call(kind.code ?? "", {
        global_variables: { offered: nonce },
        timeout: kind.timeoutSeconds ?? TIMEOUT_S,
        session: model.handle ?? "new",
      }, {
        signal: cancel.signal,
        meta: { [LOG_LEVEL]: "info" },
        onprogress: ({ message }) => progress.push(message),
      });
      const files = await readFiles(client, called);
      const { session } = called.structured;
      if (typeof session === "string") model.handle = session;
      const verdict = called.status === "invalid-arguments"
        ? model.forget()
        : model.answered(called, nonce, {
          mayKill: kind.mayKill ?? false,
          isAtOnce: false,
        });
      const strays = called.status === "success"
        ? findStrays(nonce, { called, progress, files })
        : [];
      const text = `${nonce}: ${called.text} ${strays}`;
      if (strays.length > 0 || verdict === "wrong") {
        tally.failed(kind, "", text);
      } else tally.count(kind, verdict);
      if (verdict === "lost") tally.lost.push(text);
    } catch (error) {
      if (!cancel.signal.aborted) return tally.failed(kind, "", String(error));
      model.givenUp(nonce);
      tally.cancelled(kind);
    } finally {
      clearTimeout(late);
    }
  }

  function maybeKill(): void {
    if (!random.isIn(FAULTS)) return;
    const pid = random.pick(processesNamed("sandbox", server.pid));
    if (pid !== undefined && maybeSignal(pid, "SIGKILL")) killed++;
  }
}

/** Wrong answers, and too many lost ones; nothing if all is well. */
export function crossingComplaints({ tally, killed }: Crossed): string[] {
  const { lost } = tally.all;
  return [
    ...tally.wrong,
    ...(lost > killed ? [`${lost} lost, ${killed} killed`] : []),
  ];
}

/** The log messages of a client: each must be of a call of its own. */
class Heard {
  strays: string[] = [];
  #expected = new Set<string>();

  constructor({ client }: TestClient) {
    client.setNotificationHandler("notifications/message", ({ params }) => {
      const [nonce] = /nonce-[0-9a-f-]{36}/.exec(String(params.data)) ?? [];
      if (nonce === undefined || this.#expected.has(nonce)) return;
      this.strays.push(`a log message of another client: ${params.data}`);
    });
  }

  expect(nonce: string): void {
    this.#expected.add(nonce);
  }
}

/** Reads the files of an answer, as long as there are some. */
async function readFiles(
  { client }: TestClient,
  { structured }: Called,
): Promise<[path: unknown, text: unknown][]> {
  const files: unknown[] = Array.isArray(structured.files)
    ? structured.files
    : [];
  // The secret of a session is in a file that is written once.
  const told = files.map(Object).filter(({ path }) => path !== "secret");
  return await Promise.all(told.map(async ({ path, uri }) => {
    const { contents: [found] } = await client.readResource({ uri });
    return [path, Object(found).text];
  }));
}

/** What an answer has that is not its own question's. */
function findStrays(
  nonce: string,
  { called, progress, files }: {
    called: Called;
    progress: unknown[];
    files: unknown[];
  },
): string[] {
  const [value] = Array.isArray(called.returnValue) ? called.returnValue : [];
  const own = { value: nonce, output: [nonce], progress: [nonce] };
  const wanted = { ...own, files: [[`${nonce}.txt`, nonce]] };
  const got = { value, output: called.output, progress, files };
  return Object.entries(wanted).flatMap(([key, wanted]) => {
    const found = JSON.stringify(Reflect.get(got, key));
    return found === JSON.stringify(wanted) ? [] : [`${key} is ${found}`];
  });
}
