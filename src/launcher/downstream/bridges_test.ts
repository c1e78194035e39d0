import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { log } from "../../log.ts";
import { MOST_BRIDGES } from "../../protocol/bridge_messages.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { decodeFrame, readPayload } from "../../protocol/frames.ts";
import { Bridges, type Downstream } from "./bridges.ts";
import type { StartedBridge } from "./start_bridge.ts";

const NO_SHELL = Deno.build.os === "windows" && "needs a shell";
if (NO_SHELL) log(`skipped: bridges beside real processes: ${NO_SHELL}`);

/** A bridge that is a script. */
function start(script: string): StartedBridge {
  const entry: ServerEntry = {
    ...{ name: "one", source: "a test", command: "sh", args: [] },
    transport: "stdio",
    env: { KEY: "secret" },
  };
  return {
    process: new Deno.Command("/bin/sh", {
      args: ["-c", script],
      ...{ stdin: "piped", stdout: "piped", stderr: "null", detached: true },
    }).spawn(),
    open: { type: "open", entry, limits: { startMs: 1, maxResult: 1 } },
  };
}

function open(downstream?: Partial<Downstream>) {
  const told: unknown[][] = [];
  const bridges = new Bridges(downstream as Downstream, (line) => {
    const frame = decodeFrame(line.subarray(0, -1));
    told.push([frame.kind, frame.id, readPayload(frame)]);
    return Promise.resolve(true);
  });
  return { bridges, told };
}

Deno.test({
  name:
    "Bridges gives a bridge its entry first, and hands on its lines until it ends",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const script = 'read a; echo "$a"; read b; echo "$b"; exit 3';
    const { bridges, told } = open({ start: () => start(script) });
    bridges.connect(7, "one");
    bridges.get(7)?.send(new TextEncoder().encode('{"type":"list","id":1}'));
    await bridges.get(7)?.ended;
    assertEquals(told.map(([kind, id]) => [kind, id]), [
      ...[["from", 7], ["from", 7], ["ended", 7]],
    ]);
    assertMatch(JSON.stringify(told[0]), /"type":"open".*"KEY":"secret"/);
    assertEquals(told[1]?.[2], { type: "list", id: 1 });
    assertEquals(told[2]?.[2], "its bridge has ended (code 3)");
    assertEquals(bridges.get(7), undefined);
  },
});

Deno.test({
  name:
    "Bridges starts no more than there may be, and none under a taken number",
  ignore: Boolean(NO_SHELL),
  async fn() {
    let starts = 0;
    const { bridges, told } = open({
      start() {
        starts++;
        return start("exec cat >/dev/null");
      },
    });
    bridges.connect(1, "one");
    bridges.connect(1, "one");
    assertEquals(starts, 1);
    for (let id = 2; id <= 2 * MOST_BRIDGES + 1; id++) {
      bridges.connect(id, "one");
    }
    assertEquals(starts, 2 * MOST_BRIDGES);
    assertMatch(JSON.stringify(told), /"ended",65,"there are 64 bridges/);
    await bridges.close();
    assertEquals(told.length, 2 * MOST_BRIDGES + 1);
  },
});

Deno.test("Bridges says why a bridge does not start", () => {
  const { bridges, told } = open({
    start() {
      throw new Error("there is no such server");
    },
  });
  bridges.connect(3, "one");
  assertEquals(told, [["ended", 3, "there is no such server"]]);
  const none = open();
  none.bridges.connect(3, "one");
  none.bridges.tell(4);
  assertEquals(none.told, [
    ["ended", 3, "no servers are configured"],
    ["configured", 4, []],
  ]);
});

Deno.test({
  name:
    "Bridges ends a bridge that does not end with its input, and all that it has started",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const { bridges, told } = open({
      start: () => start("sleep 1000 & echo $!; trap '' TERM; sleep 1000"),
    });
    bridges.connect(1, "one");
    await bridges.close();
    assertEquals(told.at(-1), ["ended", 1, "its bridge has ended (SIGKILL)"]);
    const pid = Number(told[0]?.[2]);
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "Z");
    assertMatch(stat, /Z/);
  },
});
