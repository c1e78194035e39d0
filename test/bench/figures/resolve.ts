import { assertEquals } from "../../../deps/assert.ts";
import { toInstallOrder } from "../../../src/launcher/installing/install_order.ts";
import { startInstaller } from "../../../src/launcher/installing/run_installer.ts";
import { DEFAULTS } from "../../../src/settings.ts";
import { makeCache } from "../../support/cache.ts";
import { startIndex } from "../../support/index_server.ts";
import { wheel } from "../../support/wheel.ts";
import { repeat } from "../bench.ts";
import { cpuMsOfEndedChildren } from "../usage.ts";
import type { Sample } from "./sample.ts";

/** Packages, each of which needs the next two. */
const PACKAGES = 30;
const VERSIONS = 10;

/** Installers that plan, from start to end; an index on loopback serves metadata alone. */
export async function measureResolve(rounds: number): Promise<Sample[]> {
  await using cache = await makeCache();
  await using index = startIndex(makeTree(), { metadata: "served" });
  const granted = await toInstallOrder("plan", {
    ...{ ...DEFAULTS, cacheDir: cache.folder, indexUrl: index.url },
    dependencies: [nameOf(0)],
  });
  const measure = async () => {
    const before = cpuMsOfEndedChildren();
    const started = performance.now();
    const installer = startInstaller(granted, false);
    const answer = new Response(installer.stdout).text();
    const input = installer.stdin.getWriter();
    const order = `${JSON.stringify(granted.order)}\n`;
    await input.write(new TextEncoder().encode(order));
    await installer.status;
    const wallMs = performance.now() - started;
    const after = cpuMsOfEndedChildren();
    await input.close().catch(() => {});
    const messages = (await answer).trim().split("\n")
      .map((line) => JSON.parse(line));
    const plans = messages.flatMap(({ plan }) => plan ?? []);
    assertEquals(plans.map(({ packages }) => packages.length), [PACKAGES]);
    const cpuMs = before === undefined || after === undefined
      ? undefined
      : after - before;
    return { wallMs, cpuMs };
  };
  // The first installer does not count.
  await measure();
  return await repeat(rounds, measure);
}

function makeTree() {
  return Array.from({ length: PACKAGES }, (_, at) => {
    const requires = [at + 1, at + 2].filter((next) => next < PACKAGES)
      .map((next) => `${nameOf(next)}>=1.2,<2`);
    return Array.from(
      { length: VERSIONS },
      (_, minor) =>
        wheel({ name: nameOf(at), version: `1.${minor}`, requires }),
    );
  }).flat();
}

function nameOf(at: number): string {
  return `mrp-bench-tree-${at}`;
}
