import { COUNT } from "./session_model.ts";

/** A kind of call in a session. */
export interface SessionKind {
  name: string;
  /** How often it comes, beside the others. */
  weight: number;
  /** Begins with `COUNT`; a kind without code calls another tool. */
  code?: string;
  timeoutSeconds?: number;
  /** Whether it may take the interpreter with it. */
  mayKill?: boolean;
  isCancelled?: boolean;
  /** Whether the session cannot be saved for a while. */
  isUnsaved?: boolean;
  /** Calls at once. */
  times?: number;
}

const TOLD = `f"{secret} {count}"`;
const HANG = `${COUNT}
print(${TOLD}, flush=True)
while True: pass`;

/** All kinds, the usual one first. */
export const SESSION_KINDS: readonly [SessionKind, ...SessionKind[]] = [
  {
    name: "counts",
    weight: 30,
    code: `${COUNT}
with open("secret") as file: kept = file.read()
${TOLD} if kept == secret else "another's file"`,
  },
  {
    name: "counts in calls at once",
    weight: 6,
    times: 3,
    code: `${COUNT}\n${TOLD}`,
  },
  {
    name: "fails",
    weight: 6,
    code: `${COUNT}\nraise ValueError(${TOLD})`,
  },
  {
    name: "computes for ever",
    weight: 2,
    timeoutSeconds: 0.5,
    mayKill: true,
    code: HANG,
  },
  {
    name: "does not let itself be stopped",
    weight: 1,
    timeoutSeconds: 0.5,
    mayKill: true,
    code: `${COUNT}
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass`,
  },
  {
    name: "ends its interpreter",
    weight: 3,
    mayKill: true,
    code: `${COUNT}\nimport os\nos.abort()`,
  },
  {
    name: "takes all memory",
    weight: 1,
    mayKill: true,
    code: `${COUNT}
kept = []
while True: kept.append(bytearray(1 << 24))`,
  },
  {
    name: "leaves a task",
    weight: 3,
    isUnsaved: true,
    code: `${COUNT}
import asyncio
async def tick(secret):
    for _ in range(10):
        print(secret, "ticks")
        await asyncio.sleep(0.02)
task = asyncio.ensure_future(tick(secret))
${TOLD}`,
  },
  {
    name: "is cancelled",
    weight: 4,
    isCancelled: true,
    code: `${COUNT}\nimport time\ntime.sleep(10)`,
  },
  { name: "is copied", weight: 3 },
  { name: "is ended", weight: 2 },
];
