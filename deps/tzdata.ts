// The time zones of the IANA, in the form that Python's zoneinfo reads.
// `scripts/update_wheel.sh` renews them.
export const TZDATA = {
  url: new URL("./wheels/tzdata-2026.6-py2.py3-none-any.whl", import.meta.url),
  sha256: "0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec",
} as const;
