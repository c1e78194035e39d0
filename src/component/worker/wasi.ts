import { clocks, createCli, http, io, random } from "../../../deps/jco_wasi.ts";
import type { Denied } from "../../grants/guest_grants.ts";
import { type GuestMount, openFiles } from "./files.ts";

/** What a component may use by WASI, and where its words go. */
export interface WasiOptions {
  name: string;
  variables: Readonly<Record<string, string>>;
  mounts: readonly GuestMount[];
  print(text: string): void;
  onDenied(denied: Denied): void;
}

/** The imports of an instance, by their names without a version. */
export function openWasi(
  { name, variables, mounts, print, onDenied }: WasiOptions,
): Record<string, unknown> {
  const decoder = new TextDecoder();
  const printing = () => ({
    write: (bytes: Uint8Array) =>
      print(decoder.decode(bytes, { stream: true })),
  });
  const cli = createCli({
    environment: variables,
    arguments: [name],
    stdout: printing(),
    stderr: printing(),
  });
  const { preopens, types } = openFiles({
    mounts,
    streams: io,
    onDenied: (kind, path) => onDenied({ kind, path }),
  });
  return {
    ...under("wasi:cli", cli),
    ...under("wasi:clocks", clocks),
    ...under("wasi:io", io),
    ...under("wasi:random", random),
    ...under("wasi:http", http),
    "wasi:filesystem/preopens": preopens,
    "wasi:filesystem/types": types,
    "wasi:config/store": {
      get: (key: string) =>
        Object.hasOwn(variables, key) ? variables[key] : undefined,
      getAll: () => Object.entries(variables),
    },
    ...CLOSED_SOCKETS,
  };
}

function under(
  scope: string,
  parts: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      `${scope}/${name.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`,
      part,
    ]),
  );
}

const refuse = () => {
  throw "access-denied";
};
class Network {}
class Socket {}

/** Build tools import sockets, whether they are used or not: none can be made. */
const CLOSED_SOCKETS: Record<string, unknown> = {
  "wasi:sockets/instance-network": { instanceNetwork: () => new Network() },
  "wasi:sockets/network": { Network, networkErrorCode: () => undefined },
  "wasi:sockets/ip-name-lookup": {
    resolveAddresses: refuse,
    ResolveAddressStream: Socket,
  },
  "wasi:sockets/tcp": { TcpSocket: Socket },
  "wasi:sockets/tcp-create-socket": { createTcpSocket: refuse },
  "wasi:sockets/udp": {
    ...{ UdpSocket: Socket, IncomingDatagramStream: Socket },
    OutgoingDatagramStream: Socket,
  },
  "wasi:sockets/udp-create-socket": { createUdpSocket: refuse },
};
