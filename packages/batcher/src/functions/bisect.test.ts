import { createServer } from "node:http";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { batched } from "./batched.js";
import type { BatchedOptions } from "../options/options.js";
import { FramebatchError } from "../errors/errors.js";

const ITEMS = Array.from({ length: 20 }, (_, index) => index);

/** Asks for 20 items at once of a function that fails. Returns its calls, and what each item rejected with. */
async function ask(
  fail: (items: readonly number[]) => Promise<readonly number[]> | readonly number[],
  options: BatchedOptions<number> = {},
) {
  const calls: (readonly number[])[] = [];
  const run = batched((items: readonly number[]) => {
    calls.push(items);
    return fail(items);
  }, options);
  const outcomes = await Promise.allSettled(ITEMS.map((item) => run(item)));
  return { calls, errors: outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null)) };
}

const throwing = (thrown: unknown) => () => Promise.reject(thrown);
const withStatus = (status: number) => Object.assign(new Error("refused"), { status });
const network = (words: string) => new TypeError(words);

const OUTSIDE: readonly [string, unknown][] = [
  ["Chromium's failed fetch", network("Failed to fetch")],
  ["Chromium's failed fetch with its host", network("Failed to fetch (inference.example)")],
  ["Chromium's broken answer", network("network error")],
  ["Firefox's failed fetch", network("NetworkError when attempting to fetch resource.")],
  ["Firefox's broken answer", network("Error in input stream")],
  ["WebKit's failed fetch", network("Load failed")],
  ["WebKit's lost connection", network("The network connection was lost.")],
  ["Node's failed fetch", new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })],
  ["Node's broken answer", network("terminated")],
  ["a client's own network error", Object.assign(new Error("Network Error"), { code: "ERR_NETWORK" })],
  ["an abort", new DOMException("stopped", "AbortError")],
  ["a timeout", new DOMException("too slow", "TimeoutError")],
  ["a network error of the page", new DOMException("lost", "NetworkError")],
  ["an unknown client", withStatus(401)],
  ["a missing address", withStatus(404)],
  ["a busy server", withStatus(429)],
  ["a broken server", withStatus(500)],
  ["a gateway without a server", withStatus(502)],
  ["a server that starts", withStatus(503)],
  ["a response of a busy server", new Response(null, { status: 429 })],
  ["an error with a response in its cause", new Error("refused", { cause: new Response(null, { status: 503 }) })],
  ["an error with a response", Object.assign(new Error("refused"), { response: { status: 503 } })],
  ["an error with another name for the status", Object.assign(new Error("refused"), { statusCode: 503 })],
  [
    "a failure deep in the causes",
    new Error("outer", { cause: new Error("inner", { cause: network("Load failed") }) }),
  ],
  ["a timeout of a model", new FramebatchError("TIMED_OUT", "too slow")],
  ["a model on a server that is away", new FramebatchError("REMOTE_UNREACHABLE", "away")],
  ["a model on a busy server", new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 503 } })],
];

const ABOUT_ITEMS: readonly [string, unknown][] = [
  ["a mistake in code", new TypeError("Cannot read properties of undefined (reading 'x')")],
  ["a text", "failed"],
  ["bad items", withStatus(400)],
  ["a batch that is too large", withStatus(413)],
  ["a response that blames the items", new Response(null, { status: 422 })],
  ["bad items behind a lost connection", new Error("outer", { cause: withStatus(422) })],
  ["a status of success", withStatus(200)],
  ["a status that is none of HTTP", withStatus(7)],
  ["an input that does not fit", new FramebatchError("INVALID_INPUT", "expected 1, got 2")],
  ["errors that cause each other", inACircle()],
];

function inACircle(): Error {
  const first = new Error("first");
  first.cause = new Error("second", { cause: first });
  return first;
}

describe("a batched function that fails for a reason that says nothing about an item", () => {
  it.each(OUTSIDE)("is called once for its batch, and each item rejects with the error: %s", async (_, thrown) => {
    const { calls, errors } = await ask(throwing(thrown));
    expect(calls).toEqual([ITEMS]);
    for (const error of errors) expect(thrown instanceof Error ? error : error.cause).toBe(thrown);
  });

  it("is called once if the server is down", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("expected a port");
    server.close();
    await once(server, "close");
    const { calls, errors } = await ask(async () => (await fetch(`http://127.0.0.1:${address.port}/`)).json());
    expect(calls).toEqual([ITEMS]);
    expect(errors.every((error) => error instanceof TypeError)).toBe(true);
  });

  it("is called once if the server breaks the connection within its answer", async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("[");
      setImmediate(() => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("expected a port");
    const { calls } = await ask(async () => (await fetch(`http://127.0.0.1:${address.port}/`)).json());
    server.close();
    expect(calls).toEqual([ITEMS]);
  });

  it("ends the search for a bad item, whose other suspects reject with that reason", async () => {
    const lost = network("Failed to fetch");
    let calls = 0;
    const { errors } = await ask(() => Promise.reject(++calls === 1 ? withStatus(400) : lost));
    expect(calls).toBe(2);
    expect(errors).toEqual(ITEMS.map(() => lost));
  });
});

describe("a batched function that fails for a reason that may be about an item", () => {
  it.each(ABOUT_ITEMS)("is called again with parts of its batch: %s", async (_, thrown) => {
    const { calls, errors } = await ask((items) => (items.includes(7) ? Promise.reject(thrown) : items));
    expect(calls.length).toBeGreaterThan(1);
    expect(errors.flatMap((error, index) => (error === null ? [] : [index]))).toEqual([7]);
  });
});

describe("bisect: false", () => {
  it.each([
    ["throws", throwing(new RangeError("too far"))],
    ["returns too few results", () => [1]],
    ["returns no list", () => Reflect.apply(Object, undefined, ["none"])],
  ])("rejects the whole batch after one call if the function %s", async (_, fail) => {
    const { calls, errors } = await ask(fail, { bisect: false });
    expect(calls).toEqual([ITEMS]);
    expect(new Set(errors).size).toBe(1);
    expect(errors[0]).toBeInstanceOf(Error);
  });

  it("leaves an error among the results to its own item", async () => {
    const check = batched((items: readonly number[]) => items.map((item) => (item === 1 ? new Error("one") : item)), {
      bisect: false,
    });
    const outcomes = await Promise.allSettled([0, 1, 2].map((item) => check(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("holds for a decorated method", async () => {
    let calls = 0;
    const descriptor: TypedPropertyDescriptor<(items: readonly number[]) => Promise<readonly number[]>> = {
      value: async () => {
        calls += 1;
        throw new RangeError("too far");
      },
    };
    batched<number>({ bisect: false })({}, "scale", descriptor);
    const instance = { scale: descriptor.value };
    const outcomes = await Promise.allSettled([instance.scale?.([1, 2]), instance.scale?.([3])]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(calls).toBe(1);
  });

  it("must be true or false", () => {
    expect(() => Reflect.apply(batched, undefined, [() => [], { bisect: "no" }])).toThrow(
      /^bisect: expected true or false, got string "no"/,
    );
  });
});
