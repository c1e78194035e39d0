import { type Kind, KINDS } from "./kinds.ts";

/** Kinds whose code is of the subset of Python that Monty has. */
const SHARED = [
  ...["fails", "recurses", "computes for ever", "waits for ever"],
  ...["does not let itself be stopped", "prints a flood", "returns too much"],
  "is cancelled",
];

/** Kinds of runs for a server with the engine Monty, the usual one first. */
export const MONTY_KINDS: readonly [Kind, ...Kind[]] = [
  KINDS[0],
  ...KINDS.filter(({ name }) => SHARED.includes(name)),
  {
    name: "leaves what the next run must not find",
    weight: 15,
    code: `import os
try:
    found = soiled
except NameError:
    found = None
soiled = nonce * 100
told = [nonce, found, os.listdir("."), os.getcwd()]
os.mkdir("d")
os.chdir("d")
open("soiled", "w").write(nonce)
told`,
    isRight: ({ status, returnValue }, nonce) =>
      status === "success" &&
      JSON.stringify(returnValue) ===
        JSON.stringify([nonce, null, [], "/workspace"]),
  },
  {
    name: "takes much memory, and gives it back",
    weight: 3,
    code: `x = ["x" * 1000 + str(i) for i in range(50_000)]
[nonce, len(x)]`,
    isRight: ({ status, returnValue }, nonce) =>
      status === "success" &&
      JSON.stringify(returnValue) === JSON.stringify([nonce, 50_000]),
  },
  {
    name: "takes all memory of Monty",
    weight: 2,
    code: `print(nonce)
kept = []
while True: kept.append("x" * 1_000_000 + str(len(kept)))`,
    isRight: ({ status, output }, nonce) =>
      status === "memory-limit" && output[0] === nonce,
  },
  {
    name: "nests values until its stack is full",
    weight: 2,
    code: "1" + "+1".repeat(50_000),
    isRight: ({ status }) => status === "crashed",
  },
];
