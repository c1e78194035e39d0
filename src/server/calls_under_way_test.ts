import { assertEquals } from "../../deps/assert.ts";
import { CallsUnderWay } from "./calls_under_way.ts";

const OWNER = { name: "ada", connection: undefined };

Deno.test("CallsUnderWay: a call that outlives its request has its place until its end", async () => {
  const calls = new CallsUnderWay();
  const over = Promise.withResolvers<void>();
  const request = new Request("http://localhost");
  const told: string[] = [];
  {
    using call = calls.enter(OWNER, request);
    calls.after(request, () => told.push("after"));
    call.outlive(over.promise);
  }
  assertEquals([calls.size, told], [1, []]);
  over.resolve();
  await calls.none();
  assertEquals([calls.size, told], [0, ["after"]]);
});

Deno.test("CallsUnderWay: the bound of a request is not one of a call that outlives it", async () => {
  const calls = new CallsUnderWay();
  const limit = { ms: 0, describe: () => "late" };
  const left = async (isOfRequest: boolean, isFirst: boolean) => {
    using call = calls.enter(OWNER);
    const outlive = () => call.outlive(Promise.resolve());
    if (isFirst) outlive();
    call.wait({ ...limit, isOfRequest });
    if (!isFirst) outlive();
    const later = new Promise<undefined>((resolve) =>
      setTimeout(() => resolve(undefined), 1)
    );
    return await Promise.race([call.left, later]);
  };
  for (const isFirst of [true, false]) {
    assertEquals(await left(true, isFirst), undefined);
    assertEquals(await left(false, isFirst), "late");
  }
});
