import { assertEquals, assertMatch } from "../../deps/assert.ts";
import { Replies } from "./replies.ts";

const request = (id: number) =>
  ({ jsonrpc: "2.0", id, method: "tools/call" }) as const;

function repliesTo(...ids: number[]): Replies {
  const replies = new Replies(1000);
  for (const id of ids) replies.expect(request(id));
  return replies;
}

Deno.test("Replies gives an answer to an open request, once", () => {
  const replies = repliesTo(1, 2);
  const text = '{"jsonrpc":"2.0","id":2,"result":{"a":1}}';
  assertEquals(replies.readText(text), {
    messages: [{ jsonrpc: "2.0", id: 2, result: { a: 1 } }],
    hasAnswer: true,
    others: 0,
  });
  assertEquals(replies.readText(text).messages, []);
  assertEquals([replies.isOpen(1), replies.isOpen(2)], [true, false]);
});

Deno.test("Replies drops what is not a message, and answers to no request", () => {
  const replies = repliesTo(0, 1);
  for (
    const text of [
      ...["", "hello", "[1, 2", "null", "5", '"x"', "[]", "{}", '{"id":1}'],
      '{"jsonrpc":"1.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":"1","result":{}}',
      '{"jsonrpc":"2.0","id":null,"result":{}}',
      '{"jsonrpc":"2.0","id":7,"result":{}}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    ]
  ) {
    const { messages, hasAnswer, others } = replies.readText(text);
    // A number of a list is a message for those that count.
    assertEquals([messages, hasAnswer, others > 0], [[], false, true]);
  }
  assertEquals([replies.isOpen(0), replies.isOpen(1)], [true, true]);
});

Deno.test("Replies passes requests and notifications on, and reads batches", () => {
  const replies = repliesTo(1);
  const { messages, hasAnswer, others } = replies.readText(
    '[{"jsonrpc":"2.0","method":"a","params":{"b":1}},{"jsonrpc":"2.0","id":"x","method":"ping","params":{"b":1}},' +
      '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}]',
  );
  assertEquals([hasAnswer, others], [true, 2]);
  assertEquals(messages, [
    { jsonrpc: "2.0", method: "a", params: { b: 1 } },
    // It is refused, and need not be held until then.
    { jsonrpc: "2.0", id: "x", method: "ping" },
    { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } },
  ]);
});

Deno.test("Replies keeps the digits of an integer beyond 2^53", () => {
  const { messages } = repliesTo(1).readText(
    '{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}',
  );
  const result = { n: "9007199254740993" };
  assertEquals(messages, [{ jsonrpc: "2.0", id: 1, result }]);
});

Deno.test("Replies turns an answer that is not a result into an error", () => {
  for (
    const body of [
      ...['"result":5', '"result":[]', '"result":null', '"x":1'],
      '"error":"no"',
    ]
  ) {
    const { messages } = repliesTo(1).readText(
      `{"jsonrpc":"2.0","id":1,${body}}`,
    );
    assertMatch(JSON.stringify(messages), /"error":\{"code":-32600/);
  }
});

Deno.test("Replies finds the request of a line that is too long", () => {
  const bytes = 1e6;
  for (
    const [open, start, end, expected] of [
      [[4, 5], '{"jsonrpc":"2.0","id":5,"result":{"', 'x"}}', 5],
      [[4, 5], '{"result":{"content":[', '"}]},"jsonrpc":"2.0","id":4}', 4],
      [[4], "{", "}", 4],
      [[4, 5], "{", "}", undefined],
      [[4, 5], '{"jsonrpc":"2.0","id":9,"result":{"', "x}}", undefined],
    ] as const
  ) {
    const { messages } = repliesTo(...open).read({ bytes, start, end });
    assertEquals(
      messages.map((one) => Object(one).id),
      [expected].flatMap(
        (id) => id ?? [],
      ),
    );
    if (expected) assertMatch(JSON.stringify(messages), /1000000 characters/);
  }
});
