import type { Item, Share } from "../../../../shares.ts";
import type { CallsUnderWay } from "../../../calls_under_way.ts";
import { exchangeOf } from "../listener/exchange.ts";

/** Bytes of a body that are not counted: small bodies find room beside large ones. */
const FREE_BYTES = 65_536;

/**
 * Counts a request's body until the request and its call have ended: a call's
 * arguments stay as long, and data can take several times the bytes of its text.
 *
 * @returns Takes the bytes that have come, and tells whether there is room.
 */
export function holdBody(
  request: Request,
  caller: string,
  share: Share,
  calls: Pick<CallsUnderWay, "after">,
): (bytes: number) => boolean {
  const exchange = exchangeOf(request);
  const body: Item = {
    ...{ caller, amount: 0 },
    rest: (asking) =>
      exchange.isArriving() && asking !== caller ? "listening" : "used",
    giveWay: () => exchange.giveWay(),
  };
  share.hold(body);
  void exchange.ended.then(() => calls.after(request, () => share.drop(body)));
  return (bytes) => share.resize(body, Math.max(0, bytes - FREE_BYTES));
}
