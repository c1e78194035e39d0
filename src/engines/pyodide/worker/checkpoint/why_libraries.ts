/** A native module of a package; a library that others need has no such path. */
const MODULE = /\/site-packages\/(.+?)\.[^/]*so$/;
const MOST_NAMED = 3;

/**
 * Says why libraries keep a session from being saved, and the remedy.
 *
 * @param paths Libraries that the code has loaded, in order.
 * @param preloaded Modules of the packages that the snapshot has imported.
 */
export function whyLibraries(
  paths: readonly string[],
  preloaded: readonly string[],
): string[] {
  const modules = paths.flatMap((path) => {
    const [, module] = MODULE.exec(path) ?? [];
    return module === undefined ? [] : [module.replaceAll("/", ".")];
  });
  const [known = [], late = []] = [true, false].map((isKnown) =>
    modules.filter((module) =>
      preloaded.includes(module.replace(/\..*/, "")) === isKnown
    )
  );
  const packages = new Set(late.map((module) => module.replace(/\..*/, "")));
  return [
    ...late.length === 0 ? [] : [
      `the code has loaded native libraries: ${
        list(late)
      }. Name the packages of ${
        [...packages].join(", ")
      } in --deps, so that they are loaded before the code`,
    ],
    ...known.length === 0 ? [] : [
      `the code has loaded native libraries that a start does not load: ${
        list(known)
      }. Use them in a run without a session, or in a session of their own`,
    ],
    ...paths.length > 0 && modules.length === 0
      ? [`the code has loaded native libraries: ${list(paths)}`]
      : [],
  ];
}

function list(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") +
    (more > 0 ? ` and ${more} more` : "");
}
