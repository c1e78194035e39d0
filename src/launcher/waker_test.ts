import { log } from "../log.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to see processes";
if (NO_PROC) log(`skipped: processes that stand still: ${NO_PROC}`);

/** Has a process stand still, tells its id, and waits. */
const PROGRAM = `
import { Waker } from ${JSON.stringify(import.meta.resolve("./waker.ts"))};
const sleeper = new Deno.Command("sleep", { args: ["60"] }).spawn();
sleeper.kill("SIGSTOP");
const waker = new Waker();
await waker.note(sleeper.pid);
await waker.note(sleeper.pid);
console.log(sleeper.pid);
setInterval(() => {}, 1000);
`;

function stateOf(pid: number): string | undefined {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  return / ([A-Z]) /.exec(stat.slice(stat.lastIndexOf(")")))?.[1];
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test({
  name: "a process that stands still is woken once its launcher was killed",
  ignore: Boolean(NO_PROC),
  async fn() {
    const launcher = new Deno.Command(Deno.execPath(), {
      args: ["eval", PROGRAM],
      ...{ stdout: "piped", stdin: "null" },
    }).spawn();
    const lines = launcher.stdout.pipeThrough(new TextDecoderStream());
    const reader = lines.getReader();
    const pid = Number((await reader.read()).value);
    await until(() => stateOf(pid) === "T");
    launcher.kill("SIGKILL");
    await launcher.status;
    await until(() => stateOf(pid) === "S");
    Deno.kill(pid, "SIGKILL");
    await reader.cancel();
  },
});
