/**
 * Where packages come from: folders, a Pyodide distribution, indexes, and the
 * order in which they are asked.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { findPyodide } from "../src/engines/pyodide/runtime.ts";
import { makeCache, makeEmptyCache } from "./support/cache.ts";
import {
  distributionAnswers,
  type DistributionFile,
  toPyodideLock,
} from "./support/distribution.ts";
import { archive } from "./support/archive.ts";
import { html, redirect, startIndex } from "./support/index_server.ts";
import { told, versions } from "./support/told.ts";
import { hash, type IndexFile, wheel } from "./support/wheel.ts";

const [one, two, three] = ["1.0", "2.0", "3.0"].map((version) =>
  wheel({ name: "mrp-fixture-a", version })
) as [IndexFile, IndexFile, IndexFile];
const b = wheel({ name: "mrp-fixture-b" });

/** Writes files below a folder of a test; gives the folder. */
async function makeFolder(
  parent: string,
  name: string,
  files: Pick<IndexFile, "filename" | "bytes">[],
): Promise<string> {
  const folder = join(parent, name);
  await Deno.mkdir(folder, { recursive: true });
  for (const { filename, bytes } of files) {
    await Deno.writeFile(join(folder, filename), bytes);
  }
  return folder;
}

function named(filename: string, { bytes }: IndexFile) {
  return { filename, bytes };
}

/** The base of addresses that nobody listens at. */
async function nobody(): Promise<string> {
  const index = startIndex([]);
  await index[Symbol.asyncDispose]();
  return index.origin;
}

Deno.test("folders of wheels come first, and what cannot be used in them is passed over", async (test) => {
  await using cache = await makeCache();
  await using index = startIndex([three, b]);
  const source = ["--index-url", index.url];
  const plan = (folders: string[], deps: string) =>
    cache.command([
      ...folders.flatMap((folder) => ["--find-links", folder]),
      ...[...source, "--deps", deps, "install", "--dry-run"],
    ]);

  await test.step("the first of two folders that has a package is taken", async () => {
    const first = await makeFolder(cache.folder, "first", [one]);
    const second = await makeFolder(cache.folder, "second", [two, b]);
    const ended = await plan([first, second], "mrp-fixture-a,mrp-fixture-b");
    assertEquals(versions(ended), {
      "mrp-fixture-a": "1.0",
      "mrp-fixture-b": "1.0",
    }, ended.stderr);
    assertEquals(index.requests, []);
    assertEquals(told(ended), []);
    assertMatch(ended.stderr, /^Copied mrp_fixture_a-1\.0-\S+ \(\d KiB\)$/m);
  });
  await test.step("one that has no fitting version is not the end", async () => {
    const folder = join(cache.folder, "first");
    const ended = await plan([folder], "mrp-fixture-a>=3");
    assertEquals(versions(ended), { "mrp-fixture-a": "3.0" }, ended.stderr);
  });
  await test.step("wheels that are none are skipped, each with a warning", async () => {
    const folder = await makeFolder(cache.folder, "odd", [
      one,
      { ...two, bytes: new Uint8Array([1, 2, 3]) },
      { ...three, bytes: three.bytes.slice(0, -30) },
      named("mrp_fixture_a-4.0.whl", one),
      named("mrp_fixture_a-5.0-py3-none-any.whl", one),
      named("mrp_fixture_a-six-py3-none-any.whl", one),
      named("mrp_fixture_a-7.0.tar.gz", one),
      named("mrp_fixture_a.txt", one),
      named("readme", one),
      named("-.whl", one),
    ]);
    await Deno.mkdir(join(folder, "mrp_fixture_a-8.0-py3-none-any.whl"));
    const ended = await plan([folder], "mrp-fixture-a");
    assertEquals(versions(ended), { "mrp-fixture-a": "1.0" }, ended.stderr);
    const warnings = told(ended).map((line) =>
      line.replace(` in the wheels in ${folder}: `, " – ")
    );
    assertEquals(warnings.length, 5, ended.stderr);
    for (
      const says of [
        `${two.filename} – ${two.filename} cannot be read: File is not a zip file`,
        `${three.filename} – ${three.filename} cannot be read: File is not a zip file`,
        "mrp_fixture_a-4.0.whl – a wheel is named like name-1.0-py3-none-any.whl",
        "mrp_fixture_a-5.0-py3-none-any.whl – inside it says that it is mrp-fixture-a 1.0",
        "mrp_fixture_a-six-py3-none-any.whl – a wheel is named like name-1.0-py3-none-any.whl",
      ]
    ) {
      assert(warnings.includes(`warning: Skipping ${says}`), ended.stderr);
    }
  });
  await test.step("a link to a wheel elsewhere is as good as the wheel", async () => {
    const folder = await makeFolder(cache.folder, "links", []);
    await using elsewhere = await makeEmptyCache();
    await makeFolder(elsewhere.folder, "wheels", [one]);
    const target = join(elsewhere.folder, "wheels", one.filename);
    await Deno.symlink(target, join(folder, one.filename));
    await Deno.symlink(
      join(cache.folder, "gone"),
      join(folder, two.filename),
    );
    const ended = await plan([folder], "mrp-fixture-a");
    assertEquals(versions(ended), { "mrp-fixture-a": "1.0" }, ended.stderr);
    const [line = "", ...more] = told(ended);
    assertMatch(line, /^warning: Skipping mrp_fixture_a-2\.0-.*No such file/);
    assertEquals(more, []);
  });
});

const library: DistributionFile = {
  name: "mrp-fixture-lib",
  version: "1.1.1w",
  filename: "mrp_fixture_lib-1.1.1w.zip",
  bytes: archive([{ path: "libmrp.so", data: "not really" }]),
  place: "dynlib",
};
const native: DistributionFile = {
  name: "mrp-fixture-a",
  version: "2.0",
  filename: two.filename,
  bytes: two.bytes,
  depends: ["mrp-fixture-lib", "mrp-fixture-b"],
};
const ofDistribution: DistributionFile = { name: "mrp-fixture-b", ...b };

const FIND = `
import os, mrp_fixture_a, mrp_fixture_b
print(mrp_fixture_a.version, os.path.exists("/usr/lib/libmrp.so"))`;

Deno.test("a Pyodide distribution is asked after folders and before indexes", async (test) => {
  await using cache = await makeCache();
  const files = [native, library, ofDistribution];
  await using index = startIndex([three], {
    answers: {
      ...distributionAnswers("/dist/", files),
      "/old/pyodide-lock.json": () =>
        new Response(toPyodideLock(files, "2025_0")),
      "/login/pyodide-lock.json": () => html("<h1>Log in</h1>"),
      "/half/pyodide-lock.json": () =>
        Response.json({
          info: { abi_version: "2026_0" },
          packages: { "mrp-fixture-a": { name: "mrp-fixture-a" } },
        }),
    },
  });
  const wanted = (dist: string) => [
    ...["--dist", dist, "--index-url", index.url, "--deps", "mrp-fixture-a"],
  ];
  const runs = async (dist: string) => {
    const run = await cache.command([...wanted(dist), "run", "-c", FIND]);
    assertEquals(run.stdout, "2.0 True\n", run.stderr);
    assertEquals(told(run), []);
  };
  await test.step("at an address", () => runs(`${index.origin}/dist`));
  await test.step("in a folder", async () => {
    const bytes = new TextEncoder().encode(toPyodideLock(files));
    const folder = await makeFolder(cache.folder, "dist", [
      ...files,
      { filename: "pyodide-lock.json", bytes },
    ]);
    await runs(folder);
    // None of this is the index's matter.
    assert(!index.requests.some((path) => path.startsWith("/simple/")));
  });
  for (
    const [path, says] of Object.entries({
      old:
        /^error: Cannot use the Pyodide distribution at 127\.0\.0\.1:\d+\/old\/ as it is for Pyodide's ABI 2025_0, and this Pyodide has 2026_0\. Leave out --dist/,
      login:
        /^error: Cannot use the Pyodide distribution at 127\.0\.0\.1:\d+\/login\/: its pyodide-lock\.json is not a lock file .*--dist/,
      half:
        /^error: Cannot use the Pyodide distribution at 127\.0\.0\.1:\d+\/half\/: its pyodide-lock\.json is not a lock file .*--dist/,
    })
  ) {
    await test.step(`one that cannot be used is refused: ${path}`, async () => {
      const ended = await cache.command([
        ...wanted(`${index.origin}/${path}/`),
        "install",
      ]);
      assertEquals(told(ended).length, 1, ended.stderr);
      assertMatch(told(ended)[0] ?? "", says);
      assertEquals(ended.code, 1);
    });
  }
  await test.step("one that does not answer is passed over, with one warning", async () => {
    const ended = await cache.command([
      ...wanted(`${await nobody()}/`),
      ...["install", "--dry-run"],
    ]);
    assertEquals(versions(ended), { "mrp-fixture-a": "3.0" }, ended.stderr);
    const [line = "", ...more] = told(ended);
    assertMatch(line, /^warning: Skipping the Pyodide distribution at 127/);
    assertEquals(more, []);
  });
});

Deno.test("indexes are asked one after the other, and a project is one index's", async (test) => {
  await using cache = await makeCache();
  const fromB = wheel({ name: "mrp-fixture-c", requires: ["mrp-fixture-b"] });
  await using main = startIndex([three, b]);
  await using extra = startIndex([one, fromB]);
  await using other = startIndex([two]);
  const plan = (deps: string, ...extras: string[]) =>
    cache.command([
      ...["--index-url", main.url, "--deps", deps],
      ...extras.flatMap((url) => ["--extra-index-url", url]),
      ...["install", "--dry-run"],
    ]);
  const forget = () => {
    for (const { requests } of [main, extra, other]) requests.length = 0;
  };

  await test.step("the extra ones first, in their order", async () => {
    const ended = await plan("mrp-fixture-a", extra.url, other.url);
    assertEquals(versions(ended), { "mrp-fixture-a": "1.0" }, ended.stderr);
    assertEquals([...main.requests, ...other.requests], []);
  });
  await test.step("what the first has not is looked for in the next", async () => {
    forget();
    const ended = await plan("mrp-fixture-c", extra.url, other.url);
    assertEquals(versions(ended), {
      "mrp-fixture-b": "1.0",
      "mrp-fixture-c": "1.0",
    }, ended.stderr);
    assertEquals(main.requests, [
      "/simple/mrp-fixture-b/",
      `/files/${b.filename}`,
    ]);
    assertEquals(told(ended), []);
  });
  await test.step("one that has no fitting version is the end", async () => {
    forget();
    const ended = await plan("mrp-fixture-a>=2", extra.url, other.url);
    assertMatch(
      ended.stderr,
      /^error: Cannot find a version of mrp-fixture-a that satisfies "mrp-fixture-a>=2": the newest is 1\.0\.$/m,
    );
    assertEquals([...main.requests, ...other.requests], []);
  });
  await test.step("one that is down is passed over, with one warning", async () => {
    forget();
    const ended = await plan(
      "mrp-fixture-a,mrp-fixture-b",
      `${await nobody()}/simple`,
    );
    assertEquals(versions(ended), {
      "mrp-fixture-a": "3.0",
      "mrp-fixture-b": "1.0",
    }, ended.stderr);
    const [line = "", ...more] = told(ended);
    assertMatch(line, /^warning: Skipping the package index at 127.*refused/);
    assertEquals(more, []);
  });
});

function htmlPage(head: string, ...links: string[]): () => Response {
  const body = links.map((link) => `<a ${link}</a>`).join("<br>");
  return () => html(`<!DOCTYPE html><head>${head}</head>${body}`);
}

function jsonPage(file: IndexFile, url: string): () => Response {
  const { project: name, filename, bytes } = file;
  const files = [
    { filename: `odd-${filename}`, url: "http://[", hashes: {} },
    { filename, url, hashes: { sha256: hash(bytes) } },
  ];
  return () =>
    Response.json({ meta: { "api-version": "1.0" }, name, files }, {
      headers: { "content-type": "application/vnd.pypi.simple.v1+json" },
    });
}

/** What an index answers for the project of a file, whose page is at a path. */
const PAGES: ((
  file: IndexFile,
  path: string,
) => Record<string, () => Response>)[] = [
  // From the page, or from the root.
  ({ filename }, path) => ({
    [path]: htmlPage("", `href="../../files/${filename}">file`),
  }),
  ({ filename }, path) => ({
    [path]: htmlPage("", `href="/files/${filename}">${filename}`),
  }),
  (file, path) => ({ [path]: jsonPage(file, `../../files/${file.filename}`) }),
  (file, path) => ({ [path]: jsonPage(file, `/files/${file.filename}`) }),
  // From a base.
  ({ filename }, path) => ({
    [path]: htmlPage('<base href="/files/">', `href="${filename}">file`),
  }),
  ({ filename }, path) => ({
    [path]: htmlPage('<BASE HREF="../../files/x">', `href=${filename}>file`),
  }),
  // Beside what is no file.
  ({ filename }, path) => ({
    [path]: htmlPage(
      "<meta charset=utf-8>",
      ...['href="/">Home', 'href="#top">Top', ">None", 'href="http://[">Odd'],
      ...['href="mailto:a@b.c">Mail', 'href="../../odd.whl">odd.whl'],
      `href=" ../../files/${filename}#nothing ">file`,
    ),
  }),
  // From where the page was found at last, and the file.
  ({ filename }, path) => ({
    [path]: () => redirect(`/other/place${path}`),
    [`/other/place${path}`]: htmlPage(
      "",
      `href="../../../../files/${filename}">file`,
    ),
  }),
  (file, path) => ({
    [path]: () => redirect(`/else${path}`),
    [`/else${path}`]: jsonPage(file, `../../../files/${file.filename}`),
  }),
  (file, path) => ({
    [path]: jsonPage(file, `old/${file.filename}`),
    [`${path}old/${file.filename}`]: () =>
      redirect(`../../../files/${file.filename}`),
  }),
];

Deno.test("addresses on a page are relative to where it came from at last", async () => {
  await using cache = await makeCache();
  const projects = PAGES.map((answersOf, at) => {
    const file = wheel({ name: `mrp-fixture-page-${at}` });
    return { file, answers: answersOf(file, `/simple/${file.project}/`) };
  });
  await using index = startIndex(projects.map(({ file }) => file), {
    answers: Object.assign({}, ...projects.map(({ answers }) => answers)),
  });
  const names = projects.map(({ file }) => file.project);
  const ended = await cache.command([
    ...["--index-url", index.url, "--deps", names.join(",")],
    ...["install", "--dry-run"],
  ]);
  assertEquals(Object.keys(versions(ended)), names, ended.stderr);
  assertEquals(told(ended), []);
});

Deno.test("the hash in an address counts in capital letters, too", async () => {
  await using cache = await makeCache();
  const path = "/simple/mrp-fixture-a/";
  const wrong = hash("something else").toUpperCase();
  const href = `/files/${one.filename}#sha256=${wrong}`;
  await using index = startIndex([one], {
    answers: { [path]: htmlPage("", `href="${href}">file`) },
  });
  const ended = await cache.command([
    ...["--index-url", index.url, "--deps", "mrp-fixture-a", "install"],
  ]);
  assertMatch(ended.stderr, /^error: Cannot trust mrp_fixture_a-1\.0-.*whl: /m);
});

Deno.test("a distribution that cannot be reached is named only where it has the package", async (test) => {
  await using cache = await makeCache();
  const linux = wheel({
    name: "numpy",
    tag: "cp314-cp314-manylinux_2_17_x86_64",
  });
  const users = ["1.0", "2.0", "3.0"].map((version) =>
    wheel({ name: "mrp-fixture-user", version, requires: ["numpy"] })
  );
  const pure = wheel({ name: "packaging" });
  await using index = startIndex([linux, b, pure, ...users]);
  // All that is not on loopback is behind a proxy that does not answer.
  const env = { HTTPS_PROXY: await nobody(), NO_PROXY: "127.0.0.1" };
  const plan = async (deps: string) => {
    index.requests.length = 0;
    const args = ["--index-url", index.url, "--deps", deps];
    const ended = await cache.command([...args, "install", "--dry-run"], {
      env,
    });
    return { ...ended, lines: told(ended) };
  };
  const skipped =
    /^warning: Skipping the Pyodide distribution at \S+: .*refused/;
  const unreachable = (needed = "") =>
    new RegExp(
      `^error: Cannot install "numpy"${needed} as it is in the Pyodide distribution at \\S+, which cannot be reached: .*refused.*\\. Make its host reachable, or bring a copy with --dist or --pyodide\\.$`,
    );

  await test.step("and no other source has the package", async () => {
    const { lines: [warning = "", error = "", ...more] } = await plan("numpy");
    assertMatch(warning, skipped);
    assertMatch(error, unreachable());
    assertEquals(more, []);
  });
  await test.step("and the index cannot be reached either", async () => {
    const args = ["--index-url", await nobody(), "--deps", "numpy", "install"];
    const [, , error = ""] = told(await cache.command(args, { env }));
    assertMatch(
      error,
      /^error: Cannot install "numpy" as it is in the Pyodide distribution .*; nor can the package index at 127\.0\.0\.1:\d+: Connection refused\. Make one of them reachable, or /,
    );
  });
  await test.step("or a dependency, of which no older version is tried", async () => {
    const { lines: [, error = ""] } = await plan("mrp-fixture-user");
    assertMatch(error, unreachable(" \\(needed by mrp-fixture-user 3\\.0\\)"));
    const wheels = index.requests.filter((path) => path.endsWith(".whl"));
    assertEquals(wheels.length, 1);
  });
  await test.step("another source has the package", async () => {
    const { code, lines: [line = "", ...more] } = await plan("packaging");
    assertEquals(code, 0);
    assertMatch(line, skipped);
    assertEquals(more, []);
  });
  await test.step("and other sources are asked meanwhile", async () => {
    const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const asked = Promise.withResolvers<undefined>();
    await using other = startIndex([b, pure], {
      answers: {
        "/simple/mrp-fixture-b/": () => (asked.resolve(undefined), undefined),
      },
    });
    const closed = (async () => {
      for await (const connection of proxy) {
        await asked.promise;
        connection.close();
      }
    })();
    const ended = await cache.command([
      ...["--index-url", other.url, "--deps", "packaging,mrp-fixture-b"],
      ...["install", "--dry-run"],
    ], { env: { ...env, HTTPS_PROXY: `http://127.0.0.1:${proxy.addr.port}` } });
    assertEquals(ended.code, 0, ended.stderr);
    const [line = "", ...more] = told(ended);
    assertMatch(line, /^warning: Skipping the Pyodide distribution/);
    assert(!line.includes("no answer"), line);
    assertEquals(more, []);
    proxy.close();
    await closed;
  });
  await test.step("it has nothing of the packages", async () => {
    assertEquals((await plan("mrp-fixture-b")).lines, []);
    const { lines } = await plan("mrp-fixture-gone");
    assertEquals(lines.length, 1);
    assertMatch(
      String(lines[0]),
      /^error: Cannot find a package named "mrp-fixture-gone"\. Tried the package index at \S+: no such project\. Check its spelling\.$/,
    );
  });
  await test.step("the cache has its wheel", async () => {
    const { folder } = findPyodide();
    const lock = await Deno.readTextFile(join(folder, "pyodide-lock.json"));
    const { file_name, sha256 } = JSON.parse(lock).packages.packaging;
    await makeFolder(join(cache.folder, "wheels"), sha256, [
      { ...b, filename: file_name },
    ]);
    const { stdout, lines } = await plan("packaging");
    assertMatch(stdout, /^packaging .* the Pyodide distribution .* cached$/m);
    assertEquals(lines, []);
  });
});
