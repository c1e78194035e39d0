import { hash } from "./wheel.ts";

/** A file of a distribution. */
export interface DistributionFile {
  name: string;
  version: string;
  filename: string;
  bytes: Uint8Array<ArrayBuffer>;
  depends?: string[];
  /** Where a zip archive goes. */
  place?: "site" | "dynlib" | "stdlib";
}

/** The lock file of a Pyodide distribution that has these files. */
export function toPyodideLock(
  files: DistributionFile[],
  abi = "2026_0",
): string {
  return JSON.stringify({
    info: {
      abi_version: abi,
      arch: "wasm32",
      platform: "emscripten_5_0_3",
      python: "3.14.0",
      version: "314.0.0",
    },
    packages: Object.fromEntries(files.map((file) => [file.name, {
      name: file.name,
      version: file.version,
      file_name: file.filename,
      sha256: hash(file.bytes),
      install_dir: file.place ?? "site",
      depends: file.depends ?? [],
      imports: [file.name.replaceAll("-", "_")],
      package_type: file.place === "dynlib" ? "shared_library" : "package",
      unvendored_tests: false,
    }])),
  });
}

/** What a server that holds a distribution answers, by path below its own. */
export function distributionAnswers(
  path: string,
  files: DistributionFile[],
): Record<string, () => Response> {
  return {
    [`${path}pyodide-lock.json`]: () => new Response(toPyodideLock(files)),
    ...Object.fromEntries(
      files.map(({ filename, bytes }) => [
        `${path}${filename}`,
        () => new Response(bytes),
      ]),
    ),
  };
}
