import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MODEL = fileURLToPath(new URL("../../../models/dist/mlp-784.onnx", import.meta.url));
const NOISE = Uint8Array.from({ length: 4096 }, (_, index) => (index * 73 + 41) % 251);
const PAGE = "<!doctype html><html><title>Welcome</title><p>Welcome</p></html>";
const BINARY = { "Content-Type": "application/octet-stream" };

type Answer = (response: ServerResponse, model: Buffer, url: URL) => void;

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(code, { "Content-Type": "text/plain", ...headers }).end(code === 204 ? undefined : "no model\n");

const file =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = BINARY) =>
  (response: ServerResponse) =>
    response.writeHead(200, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);

const redirect = (address: string) => (response: ServerResponse) =>
  response.writeHead(302, { Location: address }).end();

/** Sends the first half of the model, with the headers of a normal response, and then calls `then`. */
const half =
  (
    headers: (model: Buffer) => Readonly<Record<string, string | number>>,
    then: (response: ServerResponse, model: Buffer) => void,
  ): Answer =>
  (response, model) => {
    response.writeHead(200, { ...BINARY, ...headers(model) });
    response.write(model.subarray(0, model.length >> 1), () => then(response, model));
  };

const hangUp = (response: ServerResponse) => void setTimeout(() => response.destroy(), 20);

/** The faulty responses, by the name of the requested file. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  missing: status(404),
  forbidden: status(403),
  "no-content": status(204),
  "partial-content": status(206),
  "broken-server": status(500),
  unavailable: status(503),
  "unavailable-for-long": status(503, { "Retry-After": "3600" }),
  "unavailable-for-a-second": status(503, { "Retry-After": "1" }),
  "too-many-requests": status(429),
  reset: (response) => void response.destroy(),
  offline: (response) => void response.destroy(),
  cors: file("no model"),
  "redirect-to-cors": (response) => elsewhere("alive", (to) => redirect(to)(response)),
  "redirect-loop": redirect("/faults/redirect-loop.onnx"),
  "redirect-to-file": redirect("file:///model.onnx"),
  "redirect-to-dead": (response) => elsewhere("dead", (to) => redirect(to)(response)),
  "stalled-before-answer": () => undefined,
  "stalled-in-body": half(lengthOf, () => undefined),
  "cut-short": half(lengthOf, hangUp),
  /** Closes the connection after `?after=` bytes. */
  "cut-short-after": (response, model, url) => {
    response.writeHead(200, { ...BINARY, ...lengthOf(model) }).flushHeaders();
    response.write(model.subarray(0, Number(url.searchParams.get("after"))), () => hangUp(response));
  },
  "cut-short-chunked": half(() => ({}), hangUp),
  "cut-short-gzip": (response, model) => {
    response.writeHead(200, { ...BINARY, "Content-Encoding": "gzip" });
    const packed = gzipSync(model);
    response.write(packed.subarray(0, packed.length >> 1), () => hangUp(response));
  },
  "broken-gzip": file(NOISE, { ...BINARY, "Content-Encoding": "gzip" }),
  // The response of a single-page application's server to an unknown path.
  page: file(PAGE, { "Content-Type": "text/html; charset=utf-8" }),
  "page-in-disguise": file(PAGE),
  "login-page": redirect("/faults/page.onnx"),
  empty: file(""),
  "lfs-pointer": file("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
  noise: file(NOISE),
  json: file('{"error":"not found"}', { "Content-Type": "application/json" }),
  "half-a-model": (response, model) => file(model.subarray(0, model.length >> 1))(response),
  "another-file": (response, model) => file(model)(response),
  "flipped-bit": (response, model) => {
    const flipped = Buffer.from(model);
    flipped[flipped.length >> 1]! ^= 1;
    file(flipped)(response);
  },
  /** An older version of the model: the signs of some weights are inverted. */
  "older-version": (response, model) => {
    const older = Buffer.from(model);
    for (let at = older.length >> 1; at < (older.length >> 1) + 4096; at += 1) older[at]! ^= 0x80;
    file(older, { ...BINARY, ETag: '"older"' })(response);
  },
  "too-large": (response) => void response.writeHead(200, { ...BINARY, "Content-Length": 1_000_000_000 }).write("x"),
  endless: (response) => {
    response.writeHead(200, BINARY);
    const send = () => response.destroyed || response.write(NOISE, send);
    send();
  },
  "gzip-bomb": file(gzipSync(Buffer.alloc(20_000_000)), { ...BINARY, "Content-Encoding": "gzip" }),
  "compressed-model": (response, model) =>
    file(gzipSync(model), { ...BINARY, "Content-Encoding": "gzip", ETag: '"packed"' })(response),
  "chunked-model": (response, model) => {
    response.writeHead(200, { ...BINARY, ETag: '"chunked"' });
    response.write(model.subarray(0, model.length >> 1), () => response.end(model.subarray(model.length >> 1)));
  },
};

/**
 * Serves `/faults/<name>.onnx`. Each name has its own faulty response. After `repair(key)`, requests with `?load=<key>`
 * get the correct model.
 */
export class FaultyServer {
  readonly #right = new Map<string, number>();
  readonly #asked = new Map<string, number>();
  readonly #paused = new Map<string, PausedModel>();

  /** Serves the correct model to a load from now on, after `wrongFirst` more faulty responses. */
  repair(key: string, wrongFirst = 0): void {
    this.#right.set(key, this.timesAsked(key) + wrongFirst);
  }

  break(key: string): void {
    this.#right.delete(key);
  }

  /** Sends the next piece of a `paused-model` that has paused at its half, but for the last byte. */
  sendMore(key: string): void {
    const paused = this.#paused.get(key);
    if (paused === undefined) return;
    const { response, model, sentBytes } = paused;
    paused.sentBytes = Math.min(model.length - 1, sentBytes + PIECE_BYTES);
    response.write(model.subarray(sentBytes, paused.sentBytes));
  }

  /** Sends the rest of a `paused-model`. */
  finish(key: string): void {
    const paused = this.#paused.get(key);
    paused?.response.end(paused.model.subarray(paused.sentBytes));
  }

  /** Returns the number of GET requests of a load, with faulty and correct responses. */
  timesAsked(key: string): number {
    return this.#asked.get(key) ?? 0;
  }

  /** Handles a request below `/faults/`. Returns true if it handled it. */
  answer(url: URL, request: IncomingMessage, response: ServerResponse): boolean {
    const name = /^\/faults\/([a-z-]+)\.onnx$/.exec(url.pathname)?.[1];
    const key = url.searchParams.get("load") ?? "";
    const wrong = name === "paused-model" ? this.#pauses(key) : ANSWERS[name ?? ""];
    if (wrong === undefined) return false;
    const asked = this.timesAsked(key);
    if (request.method === "GET") this.#asked.set(key, asked + 1);
    const model = readFileSync(MODEL);
    if (asked >= (this.#right.get(key) ?? Infinity)) file(model, { ...BINARY, ETag: '"right"' })(response);
    else wrong(response, model, url);
    return true;
  }

  /** Serves the first half of the correct model; the test sends the second half. */
  #pauses(key: string): Answer {
    return half(
      (model) => ({ ...lengthOf(model), ETag: '"right"' }),
      (response, model) => void this.#paused.set(key, { response, model, sentBytes: model.length >> 1 }),
    );
  }
}

interface PausedModel {
  readonly response: ServerResponse;
  readonly model: Buffer;
  sentBytes: number;
}

/** Small, so that a test can send many pieces of the second half, which has about a megabyte. */
const PIECE_BYTES = 4096;

function lengthOf(model: Buffer) {
  return { "Content-Length": model.length };
}

/** Passes on an address of another origin: "alive" responds without CORS headers, "dead" refuses connections. */
function elsewhere(which: "dead" | "alive", then: (address: string) => void): void {
  const other = createServer((_request, answer) => answer.end("no model"));
  other.unref();
  other.listen(0, "127.0.0.1", () => {
    const address = `http://localhost:${portOf(other.address())}/model.onnx`;
    if (which === "dead") other.close(() => then(address));
    else then(address);
  });
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
