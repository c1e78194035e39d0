// Pyodide's installer: knows the default package index, and reads the pages of
// those that answer in HTML. `scripts/update_wheel.sh` renews it.
export const MICROPIP = {
  url: new URL("./wheels/micropip-0.11.1-py3-none-any.whl", import.meta.url),
  sha256: "768de165adb8e66906039d8fec4127a57f522dfdf8e6fbff877a4616941ecfd3",
} as const;
