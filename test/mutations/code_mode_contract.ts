import type { Mutation } from "./mutation.ts";

const CLOCK = ["src/protocol/run_clock_test.ts"];
const CODE_MODE = ["src/server/code_mode/code_mode_test.ts"];
const CONTRACT = ["src/server/contracts/run_python_test.ts"];

/** The clock of runs, the servers that a run may call, and the truth of a result. */
export const CODE_MODE_CONTRACT: readonly Mutation[] = [
  {
    name: "a run's clock stands for as long as the guest likes",
    file: "src/protocol/run_clock.ts",
    text: "Math.min(this.#waits, this.#waitMs)",
    replacement: "this.#waits",
    tests: CLOCK,
  },
  {
    name: "a run's clock stands though calls have no time of their own",
    file: "src/protocol/run_clock.ts",
    text: "if (this.#waitMs <= 0) return;",
    replacement: "",
    tests: CLOCK,
    survives: "The sum of the waits is bounded by that time as well.",
  },
  {
    name: "a run's clock stands for calls that the host never hears of",
    file: "src/sandbox/run_gate.ts",
    text: "if (!excess) this.sides.clock.stand(message.id);",
    replacement: "this.sides.clock.stand(message.id);",
    tests: ["src/sandbox/run_gate_test.ts"],
  },
  {
    name: "a run's clock stands on though a call has its answer",
    file: "src/server/host_calls/run_calls.ts",
    text: "      this.options.clock?.goOn(id);\n",
    replacement: "",
    tests: ["src/server/host_calls/run_calls_test.ts"],
    filter: "clock",
  },
  {
    name: "CPU time is not judged while the clock stands",
    file: "src/sandbox/run_within_limits.ts",
    text: "if (meter.cpuSeconds() - cpuAtStart > cpuSeconds) {",
    replacement:
      "if (clock.usedMs > 0 && meter.cpuSeconds() - cpuAtStart > cpuSeconds) {",
    tests: ["src/sandbox/run_within_limits_test.ts"],
    filter: "CPU time while a call waits",
  },
  {
    name: "a call may name any server",
    file: "src/server/code_mode/code_mode.ts",
    text: "if (unknown !== undefined) {",
    replacement: "if (unknown === null) {",
    tests: CODE_MODE,
    filter: "unknown",
  },
  {
    name: "a run may call servers that it does not name",
    file: "src/server/code_mode/code_mode.ts",
    text: "servers: start.servers.map(({ name }) => name)",
    replacement: "servers: named.map(({ name }) => name)",
    tests: CODE_MODE,
  },
  {
    name: "all tools are offered in code mode",
    file: "src/server/contracts/contracts.ts",
    text: "connection.codeMode ? CODE_MODE : CONTRACTS",
    replacement: "[...CODE_MODE, ...CONTRACTS]",
    tests: CONTRACT,
  },
  {
    name: "an exception is reported as a success",
    file: "src/results/code_mode/payload.ts",
    text: '"run-error": "error",',
    replacement: '"run-error": "success",',
    tests: ["src/results/code_mode/payload_test.ts"],
  },
  {
    name: "a failed call of run_python is not an error",
    file: "src/server/contracts/run_python.ts",
    text: 'isError: payload.status !== "success" && !errorResults',
    replacement: "isError: false && !errorResults",
    tests: CONTRACT,
  },
];
