// The reference implementation of Python's packaging standards: requirements,
// versions, tags, metadata, lock files.
export const PACKAGING = {
  url: new URL("./wheels/packaging-26.3-py3-none-any.whl", import.meta.url),
  sha256: "d7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c",
} as const;
