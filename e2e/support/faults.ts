import { readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const MODEL = fileURLToPath(new URL("../../models/dist/mlp-784.onnx", import.meta.url));
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

/** Sends the first half of the model, as it would send the whole, and then does something else. */
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

/** Servers that do one thing wrong each, by the name of the file that is asked for. */
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
  /** After `?after=` bytes. */
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
  // What a single-page application's server sends for a path that it does not know.
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
  /** The model with the signs of some weights turned round, as an older version of it. */
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
 * What `/faults/<name>.onnx` answers: each in its own wrong way, until it is told that the load with a key (`?load=<key>`) is
 * to get a right model.
 */
export class FaultyServer {
  readonly #right = new Map<string, number>();
  readonly #asked = new Map<string, number>();
  readonly #paused = new Map<string, () => void>();
  /** Loads that may go on as soon as they pause. */
  readonly #allowed = new Set<string>();

  /** The next requests of a load get the right model, once the first `wrongFirst` of them have not. */
  mend(key: string, wrongFirst = 0): void {
    this.#right.set(key, this.timesAsked(key) + wrongFirst);
  }

  break(key: string): void {
    this.#right.delete(key);
  }

  /** Sends the next quarter of a `paused-model`, which comes by halves and quarters, now or as soon as it pauses. */
  goOn(key: string): void {
    const goOn = this.#paused.get(key);
    if (goOn === undefined) this.#allowed.add(key);
    else goOn();
  }

  /** GET requests of a load, right and wrong. */
  timesAsked(key: string): number {
    return this.#asked.get(key) ?? 0;
  }

  /** Says whether it has answered. */
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

  /** The right model, of which the second half is sent in two quarters as the test says. */
  #pauses(key: string): Answer {
    return half(
      (model) => ({ ...lengthOf(model), ETag: '"right"' }),
      (response, model) => {
        const third = model.length - (model.length >> 2);
        this.#paused.set(key, () => {
          response.write(model.subarray(model.length >> 1, third));
          this.#paused.set(key, () => response.end(model.subarray(third)));
        });
        if (this.#allowed.delete(key)) this.goOn(key);
      },
    );
  }
}

function lengthOf(model: Buffer) {
  return { "Content-Length": model.length };
}

/** The address of another origin: one that answers and lets nobody read it, or one where nothing listens. */
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
