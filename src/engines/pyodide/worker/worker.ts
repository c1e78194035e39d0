// The untrusted side: one Python interpreter, and its runs one after another.
import { firstMessage, lastWords, timers } from "./doors.ts";
import { type BarePyodide, boot } from "./boot.ts";
import {
  type Inventory,
  restoreFiles,
  takeInventory,
} from "./checkpoint/files.ts";
import { openSaving } from "./checkpoint/save.ts";
import { closeNode } from "./js_namespace.ts";
import { toDeniedPaths } from "../../shared/denied_paths.ts";
import { mounting } from "./mounting.ts";
import { mountPackages } from "./packages.ts";
import { type FileSpace, limitFiles } from "./file_space.ts";
import { keepBetweenRuns } from "./between_runs.ts";
import { openBrake, type Post, withBrake } from "../../shared/backlog.ts";
import { connectCalls } from "./calls.ts";
import { connectNetwork } from "./http_exchange.ts";
import {
  connectInterrupts,
  HeldInterrupts,
  toSignalBuffer,
} from "./interrupts.ts";
import { connectOutput } from "./output.ts";
import { openLooks, toEnding } from "./looks.ts";
import { openRewinding } from "./rewind.ts";
import { beginSave, endSave, isSaveWanted } from "./save_state.ts";
import { openWorkspace } from "./workspace.ts";
import { MIB } from "../../../units.ts";
import type { Display } from "../../../protocol/displays.ts";
import type { Ending, RunRequest } from "../../../protocol/run_messages.ts";
import type { RunSetup } from "../../../protocol/run_setup.ts";
import type { PyCallable, PyodideInterface } from "../../../../deps/pyodide.ts";
import { type Checkpoint, toExpected } from "../checkpoint_format.ts";
import type { FromWorker } from "../../shared/from_worker.ts";
import type { ToWorker, WorkerStart } from "../worker_messages.ts";
import { stackGuard } from "./memory.ts";

// The host is trusted, and nothing else can have sent this.
const start = await firstMessage as WorkerStart;
const { port } = start;
const post = port.postMessage.bind(port) as Post;
/** Folders that each interpreter has. */
const HOMES = ["/workspace", "/tmp"];
/** Of what a session's code cannot take, in bytes: it is much for Python to go on with. */
const LEAST_UNIT = 1 << 18;
const NOT_SAVED: FromWorker = { type: "unsaved", reasons: [] };

const { checkpoint } = start;
let inventory: Inventory | undefined;
let space: FileSpace;

/** Puts walls and files in their place before any code of a session can run. */
function furnish(python: BarePyodide): void {
  closeNode(python);
  mountPackages(python, start.packages);
  for (const folder of [...HOMES, ...start.folders]) {
    python.FS.mkdirTree(folder);
  }
  inventory = takeInventory(python.FS);
  if (!checkpoint) return;
  space = limitFiles(python.FS, start.fileLimits);
  restoreFiles(python.FS, checkpoint, checkpoint.body);
}

try {
  const turnClock = openClock();
  if (checkpoint) turnClock(checkpoint.clock);
  const python = await boot(start, false, furnish);
  // The pages are in their place.
  if (checkpoint) (checkpoint.body.buffer as ArrayBuffer).transfer(0);
  const interruptByte = new Uint8Array(start.interrupt, 0, 1);
  const held = new HeldInterrupts();
  python.setInterruptBuffer(toSignalBuffer(interruptByte, held));
  const runner = python.pyimport("mcp_runner.runner");
  closeNode(python);
  const { bytes, nodes } = start.fileLimits;
  runner.files_limit = `${bytes / MIB} MiB, and be ${nodes} with their folders`;
  if (!checkpoint) {
    await runner.after_restore.callPromising(JSON.stringify(start.imports));
  }
  const { mounts = [] } = start;
  mounting.mount?.(python, mounts);
  runner.mounts = JSON.stringify(mounts.map(({ guest }) => guest));
  const readOnly = mounts.filter(({ isWritable }) => !isWritable);
  runner.read_only_mounts = JSON.stringify(readOnly.map(({ guest }) => guest));
  runner.denied_paths = JSON.stringify(mounts.flatMap(toDeniedPaths));
  if (!checkpoint) space = limitFiles(python.FS, start.fileLimits);
  // After the imports, which belong to no run.
  const brake = openBrake(start.backlog);
  const sendNow = withBrake(brake, post);
  const between = keepBetweenRuns(sendNow);
  let isLooking = false;
  // Nobody asked for the output of code that a look calls, such as a __repr__.
  const send: Post = (message, transfer) => {
    if (!isLooking) between.post(message, transfer);
  };
  const { flush, forget: forgetOutput, count } = connectOutput(python, send);
  let printedBefore = 0;
  const beginOutput = () => {
    flush();
    printedBefore = count();
    between.begin();
  };
  // There is no keyboard: reading comes to an end at once.
  python.setStdin({ stdin: () => null });
  const calls = connectCalls(send, flush, between.isRunning);
  const show = (...[mimeType, data, title, about]: unknown[]) => {
    // Output that was printed before a picture comes before it.
    flush();
    const shown = { type: "display", mimeType: `${mimeType}`, data: `${data}` };
    // The host looks at all of it again.
    send(
      (about === undefined
        ? shown
        : { ...shown, title: `${title}`, about: `${about}` }) as Display,
    );
  };
  const network = connectNetwork(start.network, brake, between.isRunning);
  let running = 0;
  const wantedRun = new Int32Array(start.interrupt, 4);
  const interrupts = connectInterrupts(python, interruptByte, {
    held,
    interrupt: runner.interrupt,
    run: () => running,
    wanted: () => Atomics.load(wantedRun, 0),
  });
  const guardStack = stackGuard(python, start.stackKiB);
  const connect = () => {
    runner.guard_stack = guardStack;
    runner.begin_output = beginOutput;
    runner.has_printed = () => count() > printedBefore;
    between.restore(runner.kept_output);
    runner.connect_host(calls.ask, calls.notify);
    runner.connect_displays(show);
    runner.connect_network(network.forPython);
    runner.connect_interrupts(held.hold);
    interrupts.connect();
  };
  connect();
  const variables = JSON.stringify(start.setup.variables);
  if (checkpoint) await wakeUp(python, checkpoint, variables);
  else runner.put_variables(variables);
  const { shell, codeMode } = start.setup;
  if (shell) runner.enter_shell(JSON.stringify(shell));
  if (codeMode) runner.enter_code_mode();
  const workspace = openWorkspace(python.FS, send);
  if (checkpoint) workspace.remember();
  // An attribute that is read later would be an object of the run's time.
  const { run: runCode, renew } = runner;
  const look = openLooks(runner.look, workspace);
  const saving = new Int32Array(start.saving);
  const reserveUnit = Math.max(
    LEAST_UNIT,
    Math.floor(start.memoryBytes / 1024),
  );
  const endNow = (end: FromWorker) => {
    if (!beginSave(saving)) return;
    endSave(saving);
    post(end);
  };
  const save = inventory &&
    openSaving(python, {
      expected: toExpected(start),
      snapshot: start.snapshot,
      inventory,
      libraries: start.libraries.map(({ path }) => path),
      send: sendNow,
      variables: start.setup.variables,
      connect,
      begin: () => beginSave(saving),
      end: endNow,
      leaveOutput: () => runner.kept_output = between.save(),
    });
  const maybeSave = async () => {
    if (!isSaveWanted(saving)) return;
    if (save) await save();
    else endNow(NOT_SAVED);
    flush();
  };
  let isFresh = !checkpoint;
  let keptAt = 0;
  const rewinding = openRewinding(python, {
    space: space!,
    forget() {
      timers.stop();
      space.forget();
      workspace.forget();
      forgetOutput();
      between.end();
      interrupts.forget();
      network.forget();
      lastWords.text = "";
    },
    renew() {
      turnClock(keptAt);
      renew();
      flush();
    },
  });
  const keep = () => {
    // Python keeps a few strings of JavaScript's for good when it first calls.
    look("is_complete", '{"text": "None"}', []);
    keptAt = performance.now();
    rewinding.keep();
  };
  let saved = Promise.resolve();
  port.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "interrupt") {
      if (data.id !== running) return;
      // A shell's code that has noticed it may go on.
      return interrupts.take(shell !== undefined);
    }
    if (data.type === "stop") {
      interrupts.notice();
      return runner.interrupt();
    }
    if (data.type === "answer") {
      interrupts.notice();
      return calls.answer(data);
    }
    if (data.type === "save") {
      saved = saved.then(maybeSave);
      return;
    }
    // A save that was given up may still be under way.
    await saved;
    if (data.type === "keep") {
      if (isFresh) keep();
      return post({ type: "rewound" });
    }
    if (data.type === "rewind") {
      const anew = await rewinding.rewind();
      return post({ type: "rewound", ...anew && { anew } });
    }
    const { id, request, files, wantsFiles, isKept = false } = data;
    running = id;
    if (request.look !== undefined) {
      flush();
      isLooking = true;
      const ending = interrupts.maybeStopped(id) ??
        look(request.look, request.code, files);
      flush();
      isLooking = false;
      running = 0;
      return post({ type: "done", id, ending });
    }
    isFresh = false;
    const ending = tryTo(() => workspace.put(files)) ??
      interrupts.maybeStopped(id) ??
      await run(runCode, request, start.setup, isKept ? reserveUnit : 0);
    // The run may have ended before it began, or have replaced our own code.
    beginOutput();
    const failed = wantsFiles && tryTo(() => workspace.send());
    running = 0;
    between.end();
    calls.refuseOpen();
    network.refuseOpen();
    post({ type: "done", id, ending: failed || ending });
  };
  post({ type: "ready" });
} catch (error) {
  const errno = Reflect.get(Object(error), "errno");
  const reason = errno === undefined ? `${error}` : `file error ${errno}`;
  post({ type: "broken", reason: `${reason} ${lastWords.text}`.trim() });
}

/** Gives a function that lets the clock, which starts with a worker, go on from a reading. */
function openClock(): (reading: number) => void {
  const now = performance.now.bind(performance);
  let more = 0;
  const value = () => now() + more;
  Object.defineProperty(performance, "now", { value });
  return (reading) => more = reading - now();
}

/** Wakes the interpreter of a session, whose own functions are all in its memory. */
async function wakeUp(
  python: PyodideInterface,
  { cwd }: Checkpoint,
  variables: string,
): Promise<void> {
  const runner = python.pyimport("mcp_runner.runner");
  runner.wake(variables);
  runner.restored(start.isFork);
  try {
    python.FS.chdir(cwd);
  } catch {
    // It was on a mount that is gone.
    python.FS.chdir("/workspace");
  }
  await runner.warm_up.callPromising();
}

/** Moves files; gives the ending of a run whose files could not be moved. */
function tryTo(move: () => void): Ending | undefined {
  try {
    move();
  } catch (thrown) {
    const reason = Reflect.get(Object(thrown), "errno") === undefined
      ? `${thrown}`
      : "there is no room for them (--max-files-size)";
    const error = `The files of the run could not be moved: ${reason}`;
    return { status: "crashed", error };
  }
}

async function run(
  runCode: PyCallable,
  { code, globals, codeMode }: RunRequest,
  { maxOutput, installable, images, pages, shell }: RunSetup,
  reserveUnit: number,
): Promise<Ending> {
  try {
    const shows = { pictures: images, pages };
    const lists = [JSON.stringify(installable), JSON.stringify(shows)];
    const most = (shell ? shell.maxValue : maxOutput) ?? undefined;
    return toEnding(
      await runCode.callPromising(
        ...[code, globals, most, ...lists, codeMode, reserveUnit],
      ),
    );
  } catch (error) {
    return { status: "crashed", error: `The interpreter died: ${why(error)}` };
  }
}

function why(error: unknown): string {
  // Pyodide tells of an error in three ways, one after the other.
  const [, thrown = String(error)] = /gives """(.*?)"""/s.exec(`${error}`) ??
    [];
  if (thrown.includes("Maximum call stack size exceeded")) {
    return "its stack was full. Nest and recurse less deep.";
  }
  const [, exit] = /^Exit: .*?exit\((-?\d+)\)/.exec(thrown) ?? [];
  if (exit) return `os._exit(${exit}) ended it. Use sys.exit(${exit}).`;
  return `${thrown} ${lastWords.text}`.trim();
}
