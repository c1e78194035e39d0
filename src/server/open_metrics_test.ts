import { assertEquals } from "../../deps/assert.ts";
import { toBound, toOpenMetrics } from "./open_metrics.ts";

Deno.test("toOpenMetrics() escapes labels and help, and ends with EOF", () => {
  const text = toOpenMetrics([{
    ...{ name: "a_seconds", type: "gauge", unit: "seconds" },
    help: 'One\nof "these" \\.',
    samples: [
      { labels: { x: 'a"b\\c\nd', y: "" }, value: 0.5 },
      { value: Infinity },
    ],
  }]);
  assertEquals(
    text,
    [
      "# TYPE a_seconds gauge",
      "# UNIT a_seconds seconds",
      '# HELP a_seconds One\\nof \\"these\\" \\\\.',
      'a_seconds{x="a\\"b\\\\c\\nd",y=""} 0.5',
      "a_seconds +Inf",
      "# EOF",
      "",
    ].join("\n"),
  );
});

Deno.test("toBound() writes a fraction", () => {
  assertEquals([0.005, 1, 60, Infinity].map(toBound), [
    ...["0.005", "1.0", "60.0", "+Inf"],
  ]);
});
