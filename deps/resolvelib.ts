// The resolver of pip, which goes back to older versions where it must.
export const RESOLVELIB = {
  url: new URL("./wheels/resolvelib-1.2.1-py3-none-any.whl", import.meta.url),
  sha256: "fb06b66c8da04172d9e72a21d7d06186d8919e32ae5ab5cdf5b9d920be805ac2",
} as const;
