/**
 * What pages without a network must not reach.
 *
 * @module
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";

/** Ports of this machine that keep what comes to them. */
export class Outside implements AsyncDisposable {
  /** The path of each request, or the protocol of what else came. */
  readonly hits: string[] = [];
  #http = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      this.hits.push(new URL(request.url).pathname);
      const headers = { "access-control-allow-origin": "*" };
      return new Response("1", { headers });
    },
  );
  #tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  #udp = createSocket("udp4");

  static async open(): Promise<Outside> {
    const made = new Outside();
    made.#udp.on("message", () => made.hits.push("UDP"));
    made.#udp.bind(0, "127.0.0.1");
    await once(made.#udp, "listening");
    void made.#count();
    return made;
  }

  /** An origin of HTTP, and a port of TCP and of UDP for other protocols. */
  get places(): { url: string; tcp: number; udp: number } {
    return {
      url: `http://127.0.0.1:${this.#http.addr.port}`,
      tcp: this.#tcp.addr.port,
      udp: this.#udp.address().port,
    };
  }

  async #count(): Promise<void> {
    for await (const connection of this.#tcp) {
      this.hits.push("TCP");
      connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tcp.close();
    this.#udp.close();
    await this.#http.shutdown();
  }
}
