/** The way of an answer to its client. */
export interface Exchange {
  /** Resolves once the answer has been sent, or its client is gone. */
  ended: Promise<void>;
  /** The client's bytes; a web stream of them would slow each call. */
  body?: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

const exchanges = new WeakMap<Request, Exchange>();

export function setExchange(request: Request, exchange: Exchange): void {
  exchanges.set(request, exchange);
}

/** Has ended for a request that did not come over a connection. */
export function exchangeOf(request: Request): Exchange {
  return exchanges.get(request) ?? { ended: Promise.resolve() };
}
