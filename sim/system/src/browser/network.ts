import { realmNow, worldNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import { SimBlob } from "./blob.js";

export interface NetworkRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
  /** When the page has sent it, which is on its way for a while. */
  readonly sentMs: number;
  /** Aborts when the page gives it up; `null` if it never does. */
  readonly signal: AbortSignal | null;
}

/** What a server does with a request. */
export interface ServerReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Time until the headers arrive, in milliseconds. */
  readonly delayMs?: number;
  /** Number of pieces of the body. */
  readonly pieces?: number;
  /** Time of a piece, in milliseconds; drawn if it is left out. */
  readonly pieceMs?: number;
  /** The connection breaks after this many pieces. */
  readonly cutAfter?: number;
  /** Nothing arrives after this many pieces. */
  readonly stallAfter?: number;
  /** Called when the headers reach the page: never for a request that the page has aborted. */
  readonly onArrival?: () => void;
}

/** A server: `null` for no answer, as without a network. */
export type Server = (request: NetworkRequest) => ServerReply | null;

/** Called when a page sends a request. */
export type OnSent = (request: NetworkRequest) => void;

interface Site {
  readonly prefix: string;
  readonly server: Server;
  readonly onSent: OnSent;
}

/** What answers where no server is. */
const NOWHERE: Site = {
  prefix: "",
  server: () => ({ status: 404, headers: { "content-type": "text/html" } }),
  onSent: () => undefined,
};

/** Usual time of a piece of a body, in milliseconds. */
const PIECE_MS = 0.5;

/** The network: one server for each address, and those of an origin. */
export class Network {
  readonly #sites: Site[] = [];
  isOnline = true;
  /** Number of requests that have neither ended nor failed. */
  open = 0;

  constructor(servers: Readonly<Record<string, Server>>) {
    for (const [prefix, server] of Object.entries(servers)) this.serve(prefix, server);
  }

  /** Adds a server. */
  serve(prefix: string, server: Server, onSent: OnSent = () => undefined): void {
    this.#sites.push({ prefix, server, onSent });
  }

  fetch(realm: Realm, address: string | URL, init: RequestInit = {}): Promise<SimResponse> {
    const url = new URL(String(address), "https://app.example/").href;
    const { signal = null } = init;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      this.open += 1;
      const settle = once(() => (this.open -= 1));
      const fail = (error: unknown) => {
        settle();
        reject(error);
      };
      realm.ends.add(settle);
      signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
      const { world, life } = realm;
      const request = {
        url,
        method: init.method ?? "GET",
        headers: new Headers(init.headers),
        body: bodyOf(init.body),
        sentMs: world.nowMs,
        signal,
      };
      const { server, onSent } = this.#siteOf(url);
      onSent(request);
      world.post(null, world.latency(2), `request ${url}`, () => {
        const reply = this.isOnline ? server(request) : null;
        // The realm may be in another life by now, which has not asked.
        if (realm.life !== life) return;
        const delayMs = reply?.delayMs ?? world.latency(3);
        world.reply(realm, delayMs, "response", () => {
          if (signal?.aborted) return;
          if (reply === null) return fail(new TypeError("Failed to fetch"));
          reply.onArrival?.();
          const body = streamOf(realm, reply, signal, settle);
          resolve(new SimResponse(body, { status: reply.status, headers: reply.headers ?? {}, url }));
        });
      });
    });
  }

  #siteOf(url: string): Site {
    return this.#sites.find(({ prefix }) => url.startsWith(prefix)) ?? NOWHERE;
  }
}

function bodyOf(body: unknown): Uint8Array | null {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof SimBlob) return body.bytesNow.slice();
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0));
  return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice() : null;
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/** Returns a stream whose pieces arrive in tasks of the realm that asked. */
function streamOf(
  realm: Realm,
  { body = new Uint8Array(0), pieces = 1, pieceMs, cutAfter = Infinity, stallAfter = Infinity }: ServerReply,
  signal: AbortSignal | null,
  settle: () => void,
): ReadableStream<Uint8Array> {
  const { world } = realm;
  const size = Math.max(1, Math.ceil(body.byteLength / pieces));
  let sent = 0;
  let isOver = false;
  const finish = () => {
    isOver = true;
    settle();
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (sent >= stallAfter) return;
    world.post(realm, pieceMs ?? world.latency(PIECE_MS), "piece", () => {
      if (isOver) return;
      if (sent >= cutAfter) {
        finish();
        return controller.error(new TypeError("network error"));
      }
      const from = sent * size;
      sent += 1;
      if (from < body.byteLength) controller.enqueue(body.slice(from, from + size));
      if (from + size < body.byteLength) return send(controller);
      finish();
      controller.close();
    });
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const abort = () => {
      if (isOver) return;
      finish();
      controller.error(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    send(controller);
  };
  return new ReadableStream({ start, cancel: finish });
}

interface ResponseTerms {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** A `Response` whose body arrives in tasks of the world. */
export class SimResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly type = "basic";
  readonly redirected = false;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;

  constructor(body: ReadableStream<Uint8Array> | null, { status = 200, headers = {}, url = "" }: ResponseTerms = {}) {
    this.body = body;
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new Headers(headers);
    this.url = url;
  }

  async blob(): Promise<SimBlob> {
    const parts: Uint8Array[] = [];
    const reader = this.body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (value !== undefined) parts.push(value);
      if (done) return new SimBlob(parts);
    }
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array((await this.blob()).bytesNow).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode((await this.blob()).bytesNow);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** The global `fetch` of every realm. */
export function simFetch(address: string | URL, init?: RequestInit): Promise<SimResponse> {
  worldNow();
  const realm = realmNow();
  return realm.origin.network.fetch(realm, address, init);
}
