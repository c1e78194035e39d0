/**
 * The code of calls in sessions. `call` is the call's name, and `offered` the secret
 * that the session takes if it has none. The session's state is `line`, the calls that
 * have run in it, also as a file; a file of `notes/` comes into the line, too,
 * in the order of the calls' names, which count.
 */
const COUNT = `
import json, os, zlib
if "secret" not in globals():
    secret, line, data, sum_of_data = offered, [], b"", 0
if os.path.isdir("notes"):
    line += sorted(set(os.listdir("notes")) - set(line), key=lambda name: (len(name), name))
kept = open("line.txt").read().split() if os.path.exists("line.txt") else []
line.append(call)
with open("line.new", "w") as file: file.write("\\n".join([secret] + line))
os.replace("line.new", "line.txt")
told = "told " + json.dumps({
    "secret": secret, "line": line, "kept": kept[1:],
    "whole": zlib.crc32(data) == sum_of_data,
})
`;
const TELL = `${COUNT}print(told, flush=True)\n`;

/** A kind of call in a session. */
export interface SessionKind {
  name: string;
  /** How often it comes, beside the others. */
  weight: number;
  code: string;
  timeoutSeconds?: number;
  isCancelled?: boolean;
  /** Whether it may end its interpreter. */
  mayKill?: boolean;
  /** Calls at once, at all servers. */
  times?: number;
}

/** All kinds of runs in a session, the usual one first. */
export const SESSION_KINDS: readonly [SessionKind, ...SessionKind[]] = [
  { name: "counts", weight: 30, code: `${COUNT}told` },
  {
    name: "counts at both servers at once",
    weight: 5,
    times: 2,
    code: `${COUNT}told`,
  },
  {
    name: "takes 2 MiB",
    weight: 4,
    code: `${COUNT}data = os.urandom(1 << 21)
sum_of_data = zlib.crc32(data)
told`,
  },
  { name: "fails", weight: 3, code: `${TELL}raise ValueError(1)` },
  { name: "exits", weight: 3, code: `${TELL}import sys\nsys.exit(3)` },
  {
    name: "computes for ever",
    weight: 2,
    timeoutSeconds: 0.5,
    mayKill: true,
    code: `${TELL}while True: pass`,
  },
  {
    name: "is cancelled",
    weight: 3,
    isCancelled: true,
    mayKill: true,
    code: `${TELL}import time\ntime.sleep(10)`,
  },
  {
    name: "takes all memory",
    weight: 1,
    mayKill: true,
    code: `${TELL}much = []\nwhile True: much.append(bytearray(1 << 24))`,
  },
  {
    name: "ends its interpreter",
    weight: 1,
    mayKill: true,
    code: `${TELL}os._exit(1)`,
  },
];
