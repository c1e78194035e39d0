import { toTable } from "../../scripts/options_table.ts";
import { type Era, ERAS } from "../support/server.ts";
import type { Verdict } from "./suite.ts";

/** How a server did, by revision of MCP. */
export type Verdicts = Record<Era, Verdict[]>;

/** The servers that the suite judges. */
export interface Results {
  fixture: Verdicts;
  product: Verdicts;
}

/** Why a scenario or a check tells nothing of the product. */
const NOT_FOR_PRODUCT: readonly [RegExp, string][] = [
  [/^tasks-/, "needs tools"],
  [/^(tools-call|elicitation|json-schema|server-sse-polling)/, "needs tools"],
  [/^input-required-result-(?!unsupported)/, "needs tools"],
  [/^http-custom-header/, "needs tools"],
  [/^prompts-/, "needs prompts"],
  [/^completion-/, "needs completions"],
  [/^resources-(read|templates)/, "needs resources"],
  [/^resources-(un)?subscribe/, "needs subscriptions"],
];
const NOT_FOR_FIXTURE: readonly [RegExp, string][] = [
  [/^http-custom-header/, "needs tools"],
];

/** Failures of checks that ask for tools or prompts that a server may lack. */
const BEYOND =
  /Not testable: server does not list the diagnostic tool|prompts\/list returned .*Method not found/;

/** The page, as `deno fmt` writes it. */
export function toPage(results: Results): string {
  const all = ERAS.flatMap((era) => results.fixture[era]);
  const required = new Set(
    all.filter(isRequired).map(({ scenario }) => scenario),
  );
  const others = new Set(all.map(({ scenario }) => scenario)).difference(
    required,
  );
  return `${HEAD}
## Required scenarios

${toCounts(results)}

${toRows([...required], results)}
## Other scenarios

Those that the suite runs without a score: extensions, scenarios that are newer
than the revision, and pending ones, which the suite's own server does not pass.

${toRows([...others], results)}${FOOT}`;
}

/** Sentences for each scenario that a server should have passed. */
export function findFaults(results: Results): string[] {
  return ERAS.flatMap((era) => [
    ...results.fixture[era]
      .filter((one) => toCell("fixture", one) === FAILS)
      .map(({ scenario, failures }) => `fixture: ${scenario}: ${failures}`),
    ...results.product[era]
      .filter((one) => toCell("product", one) === FAILS)
      .map(({ scenario, failures }) => `product: ${scenario}: ${failures}`),
  ]);
}

const isRequired = ({ isRequired }: Verdict) => isRequired;

const FAILS = "**fails**";

function toCell(
  server: keyof Results,
  verdict: Verdict | undefined,
): string {
  if (!verdict) return "";
  const { scenario, failures, isSkipped } = verdict;
  if (isSkipped) return "skipped";
  const exempt = server === "product" ? NOT_FOR_PRODUCT : NOT_FOR_FIXTURE;
  const [, reason] = exempt.find(([name]) => name.test(scenario)) ?? [];
  if (reason !== undefined) return reason;
  if (failures.length === 0) return "passes";
  const isBeyond = server === "product" &&
    failures.every((failure) => BEYOND.test(failure));
  return isBeyond ? `passes, aside: ${failures.length}` : FAILS;
}

function toCounts({ fixture }: Results): string {
  const counts = ERAS.map((era) => {
    const required = fixture[era].filter(isRequired);
    const passed = required.filter(({ failures }) => failures.length === 0);
    return `${passed.length} of ${required.length} of ${era}`;
  });
  return `The fixture passes ${counts.join(", and ")}.`;
}

function toRows(scenarios: string[], results: Results): string {
  const columns = ERAS.flatMap((era) =>
    (["fixture", "product"] as const).map((server) => ({ era, server }))
  );
  return toTable([
    ["scenario", ...columns.map(({ era, server }) => `${era}, ${server}`)],
    ...scenarios.toSorted().map((name) => [
      name,
      ...columns.map(({ era, server }) =>
        toCell(
          server,
          results[server][era].find(({ scenario }) => scenario === name),
        )
      ),
    ]),
  ]);
}

const HEAD = `# Conformance

\`deno task conformance\` runs the official suite,
\`@modelcontextprotocol/conformance\`, and writes this page. It judges two
servers:

- the fixture (\`test/conformance/fixture_server.ts\`) has the tools, prompts and
  resources that the suite asks for by name; all else, from the listener to the
  MCP sessions and tasks, is the product's own code. It must pass all that it
  has the tools for.
- the product, \`streamable-http\`. It must pass each scenario that does not ask
  for tools, prompts, resources or extensions that it does not have: "needs …"
  names them, and "aside" counts the checks of a scenario that ask for them.

An empty cell: the scenario is not of that revision.
`;

const FOOT = `
Not run are the scenarios for clients and for authorization servers, as the
product is neither, and those of the extension for skills, which it does not
offer.
`;
