import type { Ending } from "../../../protocol/run_messages.ts";
import type { MontyTerms } from "../terms.ts";
import type { Files } from "./files.ts";
import { deniedHint, hintFor } from "./hints.ts";
import type { BridgeFailure, BridgeReply, Trap } from "./instance.ts";

type Failed = Exclude<Ending["status"], "success">;

interface FailedRun {
  terms: MontyTerms;
  /** The server's limit. */
  memoryBytes: number;
  files: Pick<Files, "denied" | "near">;
  /** None, in the form of the run's values. */
  none: string;
}

/** How a run ended, as its sandbox process knows it. */
export function endingOf(
  reply: Exclude<BridgeReply, { type: "call" | "waits" }>,
  { isInterrupted, ...run }: FailedRun & { isInterrupted: boolean },
): Ending {
  switch (reply.type) {
    case "done":
      return { status: "success", value: reply.value };
    case "complete":
      return { status: "crashed", error: "The interpreter answered another" };
    case "wrong":
      return failed("run-error", {
        type: "TypeError",
        message: reply.reason,
        traceback: `TypeError: ${reply.reason}`,
      });
    case "failed":
      return isInterrupted && STOPPED.includes(reply.error.type)
        ? INTERRUPTED
        : endingOfFailure(reply.error, run);
  }
}

/** The errors by which code that is interrupted ends: while it computes, or waits. */
const STOPPED = ["TimeoutError", "KeyboardInterrupt"];
const INTERRUPTED: Ending = failed("run-error", {
  ...{ type: "KeyboardInterrupt", message: "" },
  traceback: "KeyboardInterrupt",
});

function endingOfFailure(
  error: BridgeFailure,
  { terms, memoryBytes, none, files }: FailedRun,
): Ending {
  switch (error.limit) {
    case "time": {
      const seconds = (terms.maxDurationMs ?? 0) / 1000;
      const reason =
        `The code was stopped after ${seconds} s, its max_duration. Allow more in resource_limits.`;
      return failed("timeout", { ...error, traceback: reason });
    }
    case "memory": {
      const { maxMemoryBytes = Infinity } = terms;
      // Its process knows the words for the server's own.
      const reason = maxMemoryBytes >= memoryBytes
        ? ""
        : `Python ran out of memory: its max_memory is ${maxMemoryBytes} bytes. Allow more in resource_limits.`;
      return failed("memory-limit", { ...error, traceback: reason });
    }
    case "allocations": {
      const reason =
        `The code made more than ${terms.maxAllocations} allocations, its max_allocations. Allow more in resource_limits.`;
      return failed("memory-limit", { ...error, traceback: reason });
    }
  }
  // Code that has ended itself: without a reason, all is well.
  if (error.type === "SystemExit" && error.message === "") {
    return { status: "success", value: none };
  }
  const hint = error.type === "FileNotFoundError"
    ? files.near(error.message)
    : hintFor(error) ?? deniedHint(error, files.denied);
  return failed("run-error", {
    ...error,
    traceback: hint ? `${error.traceback}\n${hint}` : error.traceback,
  });
}

/** How a run ended whose interpreter has died. */
export function crashOf({ isFull, cause, panic }: Trap): Ending {
  if (isFull) return { status: "memory-limit", error: "" };
  if (cause instanceof RangeError) {
    return failed("crashed", {
      type: "RecursionError",
      message: "maximum recursion depth exceeded",
      traceback:
        "RecursionError: the stack of the interpreter is full. Nest calls and values less.",
    });
  }
  return {
    status: "crashed",
    error: `The interpreter died: ${panic || cause}`,
  };
}

function failed(
  status: Failed,
  { type, message, traceback }: Omit<BridgeFailure, "limit">,
): Ending {
  return {
    status,
    error: traceback,
    errorType: type,
    errorMessage: message,
    ...(status === "run-error" ? { exitCode: 1 } : {}),
  };
}
