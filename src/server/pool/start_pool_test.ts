import { assertEquals } from "../../../deps/assert.ts";
import { ENGINE } from "../../engines/index.ts";
import { type Channel, type Parse, Queue } from "../../protocol/channel.ts";
import { fields } from "../../protocol/fields.ts";
import type { FromSandbox } from "../../protocol/sandbox_messages.ts";
import { Share } from "../../shares.ts";
import { REQUEST, SERVER_SETTINGS } from "../../../test/support/request.ts";
import { TOY } from "../../../test/support/toy_engine/row.ts";
import { ENVIRONMENT } from "../../../test/support/fake_pool.ts";
import { HOST_CALLS } from "../host_calls/host_calls.ts";
import { poolStarter } from "./start_pool.ts";

/** A broker whose processes run code to its end; notes what they are asked for. */
class FakeBroker {
  specs: object[] = [];
  /** Whether each next interpreter is to be the same one, rewound. */
  rewinds = new Queue<boolean>();
  log = { write() {} };

  spawn<Out, In>(
    _kind: string,
    spec: object,
    parse: Parse<In>,
  ): Channel<Out, In> {
    this.specs.push(spec);
    const messages = new Queue<In>();
    const say = (message: FromSandbox) => messages.push(parse(message));
    return {
      messages,
      send: (message) => {
        const { type, id, rewind } = fields(message);
        if (type === "setup") say({ type: "ready" });
        if (type === "run") {
          const run = Number(id);
          say({ type: "started", run });
          const ending = { status: "success", value: "1" } as const;
          say({ type: "done", run, printed: 0, ending });
        }
        if (type === "next") this.rewinds.push(rewind === true);
        return Promise.resolve();
      },
      kill() {},
    };
  }
}

Deno.test("poolStarter() starts processes of the pool's engine, which rewind if it can", async () => {
  for (const { profile: engine } of [ENGINE, TOY]) {
    const broker = new FakeBroker();
    const start = poolStarter(broker, SERVER_SETTINGS, {
      ...{ turns: new Share(1), hostCalls: HOST_CALLS },
    });
    const events = { onReplaced() {}, onMade() {} };
    const pool = start(ENVIRONMENT, { engine, isOwn: true, ...events });
    const { status } = await pool.run(REQUEST, { realm: "a" });
    assertEquals(status, "success");
    assertEquals(await broker.rewinds.next(), engine.canRewind);
    const { id: environment } = ENVIRONMENT;
    assertEquals(broker.specs[0], { engine: engine.name, environment });
    pool.close();
  }
});
