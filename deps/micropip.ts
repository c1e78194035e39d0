/**
 * Pyodide's resolver, as its wheel from PyPI: nothing has to be fetched to be
 * able to fetch. `scripts/update_micropip.sh` renews it.
 *
 * @module
 */

/** The wheel, and what it must hash to. */
export const MICROPIP = {
  url: new URL("./wheels/micropip-0.11.1-py3-none-any.whl", import.meta.url),
  sha256: "768de165adb8e66906039d8fec4127a57f522dfdf8e6fbff877a4616941ecfd3",
} as const;
