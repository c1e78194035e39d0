import { join } from "node:path";
import { assertEquals } from "../../../deps/assert.ts";
import { tempFolder } from "../../support/folder.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { median } from "../statistics.ts";
import { toTable } from "../table.ts";
import { toRatio, toTime } from "../units.ts";

const MANY = 1000;
const KIB = 1024;
const LARGE = 100 * 1024 * KIB;
const PRINTED = 10 * 1024 * KIB;
/** What our call is compared with: plain CPython, without walls. */
type Python = string | undefined;

/** One kind of work, done by ours and by the baseline; each checks its answer. */
interface Work {
  name: string;
  ours(): Promise<void>;
  python: string;
  expected: string;
}

/**
 * Large output, many files, one large file; beside CPython that does the same on
 * the same folders, its start included.
 */
export async function measureFiles(
  rounds: number,
  python: Python,
): Promise<string> {
  await using folder = await tempFolder();
  const [data, out, many] = await folder.make("data", "out", "many");
  const zeros = new Uint8Array(LARGE);
  await Deno.writeFile(join(data, "large"), zeros);
  const text = "x".repeat(KIB);
  const files = Array.from({ length: MANY }, (_, at) => ({
    path: `in/${at}`,
    text,
  }));
  await Deno.mkdir(join(many, "in"));
  for (const { path } of files) {
    await Deno.writeTextFile(join(many, path), text);
  }
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...["--mount", data, "--mount", `${out}:rw`],
  ]);
  await server.connect();
  const call = async (code: string, expected: unknown, more: object = {}) => {
    const { structuredContent } = await server.callTool("run_python_code", {
      python_code: code,
      ...more,
    });
    const { return_value: value, truncated } = Object(structuredContent);
    const { uri: _uri, note: _note, ...cut } = Object(truncated);
    assertEquals({ value, ...cut }, expected);
  };
  const copy = (from: string, to: string) =>
    `import shutil; print(shutil.copyfile(${JSON.stringify(from)}, ${
      JSON.stringify(to)
    }) is None)`;
  const copyMany = (folder: string) =>
    `import os
os.mkdir(${JSON.stringify(`${folder}/out`)})
for name in os.listdir(${JSON.stringify(`${folder}/in`)}):
    with open(f"${folder}/in/{name}") as file: text = file.read()
    with open(f"${folder}/out/{name}", "w") as file: file.write(text)
`;
  const works: Work[] = [
    {
      name: "a run without files",
      ours: () => call("1 + 1", { value: 2 }),
      python: "print(1 + 1)",
      expected: "2\n",
    },
    {
      name: "10 MiB of output",
      ours: () =>
        call(`for _ in range(${PRINTED / KIB}): print("x" * ${KIB - 1})`, {
          value: null,
          output: PRINTED,
        }),
      python: `for _ in range(${PRINTED / KIB}): print("x" * ${KIB - 1})`,
      expected: `${"x".repeat(KIB - 1)}\n`.repeat(PRINTED / KIB),
    },
    {
      name: "1,000 files of 1 KiB in and out",
      ours: () =>
        call(`${copyMany("/workspace")}len(os.listdir("out"))`, {
          value: MANY,
          files: MANY,
        }, { files }),
      python: `${copyMany(many)}import shutil
print(len(os.listdir("${many}/out")))
shutil.rmtree("${many}/out")`,
      expected: `${MANY}\n`,
    },
    {
      name: "100 MiB in and out through mounts",
      ours: () =>
        call(
          `import os, shutil
shutil.copyfile("/mnt/data/large", "/mnt/out/large")
os.path.getsize("/mnt/out/large")`,
          { value: LARGE },
        ),
      python: copy(join(data, "large"), join(out, "plain")),
      expected: "False\n",
    },
    {
      name: "100 MiB in through a mount, out as a file",
      ours: () =>
        call(
          `import os, shutil
shutil.copyfile("/mnt/data/large", "large")
os.path.getsize("large")`,
          { value: LARGE },
        ),
      python: copy(join(data, "large"), join(out, "plain")),
      expected: "False\n",
    },
  ];
  const rows: string[][] = [];
  for (const work of works) {
    const ours: number[] = [];
    const plain: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      await untilIdle(server.pid);
      const oursMs = await timeOf(work.ours);
      const plainMs = python === undefined
        ? undefined
        : await timeOf(() => runPython(python, work));
      // The first does not count: what is loaded late is loaded then.
      if (round === 0) continue;
      ours.push(oursMs);
      if (plainMs !== undefined) plain.push(plainMs);
    }
    const baseline = plain.length > 0 ? median(plain) : undefined;
    rows.push([
      work.name,
      toTime(median(ours)),
      toTime(baseline),
      toRatio(median(ours), baseline),
    ]);
  }
  return toTable([
    `files and output, ${rounds} rounds`,
    "ours, median",
    "baseline: python3",
    "wall : baseline",
  ], rows);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function runPython(
  path: string,
  { python, expected }: Work,
): Promise<void> {
  const { stdout } = await new Deno.Command(path, {
    args: ["-c", python],
    stdin: "null",
    stderr: "inherit",
  }).output();
  assertEquals(new TextDecoder().decode(stdout) === expected, true);
}
