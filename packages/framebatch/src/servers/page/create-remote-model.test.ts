import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createRemoteModel } from "../../client/api/packaged-remote.js";
import { createModelOn } from "./create-remote-model.js";
import { type RemoteModelOptions } from "./remote-model-options.js";
import type { Outputs, RemoteModel } from "../../client/options/model.js";
import type { Timer } from "@framebatch/host/clock.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { endless, type Fault, hangUp, InferenceServer, json, status } from "../../../test/support/inference-server.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { until, withClock } from "@framebatch/host/test/settling.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));

const drawing = (seed: number) =>
  Float32Array.from({ length: 784 }, (_, index) => (index % (seed + 2) === 0 ? 1 : 0.1));
const DRAWINGS = Array.from({ length: 20 }, (_, seed) => ({ image: drawing(seed) }));

let server: InferenceServer;
/** What the model answers on the device. */
let expected: Outputs[];
const models: RemoteModel[] = [];

beforeAll(async () => {
  server = await InferenceServer.start(DIGITS);
  stubBrowser();
  const local = await modelInNode(new Uint8Array(DIGITS), { executionProviders: ["wasm"] });
  expected = await local.predictMany(DRAWINGS);
  await local.dispose();
  vi.unstubAllGlobals();
});
beforeEach(() => {
  server.received.length = 0;
  server.faults.length = 0;
  server.fault = null;
  server.description.extensions = [];
});
afterEach(async () => {
  for (const model of models.splice(0)) await model.dispose();
  vi.unstubAllGlobals();
});
afterAll(() => server.close());

async function open(options: Partial<RemoteModelOptions> = {}, timer: Timer = hostTimer): Promise<RemoteModel> {
  const model = await createModelOn(server.url, { model: "digits", ...options }, { timer, random: () => 1 });
  models.push(model);
  return model;
}

describe("a remote model", () => {
  it.each([[[]], [["binary_tensor_data"]]])(
    "answers as the model on the device does (extensions: %j)",
    async (names) => {
      server.description.extensions = names;
      const model = await open({ maxBatchSize: 8 });
      expect(model.inputs).toMatchObject([{ name: "image", type: "float32", dims: [null, 1, 28, 28], batchAxis: 0 }]);
      expect(model.outputs).toMatchObject([{ name: "logits", dims: [null, 10] }]);
      const answers = await model.predictMany(DRAWINGS);
      expect(server.inferences.length).toBeLessThan(DRAWINGS.length);
      const isBinary = names.length > 0;
      for (const { headers } of server.inferences) {
        expect(headers["content-type"]).toBe(isBinary ? "application/octet-stream" : "application/json");
      }
      expect(model.stats()).toMatchObject({ state: "ready", isBinary, retries: 0, requests: { completed: 20 } });
      for (const [index, { logits }] of answers.entries()) {
        expect(logits?.dims).toEqual([10]);
        const right: ArrayLike<unknown> = expected[index]!["logits"]!.data;
        const got: ArrayLike<unknown> = logits!.data;
        const differences = Array.from(got, (value, at) => Math.abs(Number(value) - Number(right[at])));
        expect(Math.max(...differences)).toBeLessThan(1e-4);
      }
    },
  );

  it("sends the given headers with every request, and no other but those of the protocol", async () => {
    const model = await open({ version: "3", headers: { authorization: "Bearer secret" } });
    await model.predict(DRAWINGS[0]!);
    expect(server.received.map(({ path }) => path)).toEqual([
      "/v2/models/digits/versions/3/ready",
      "/v2/models/digits/versions/3",
      "/v2",
      "/v2/models/digits/versions/3/infer",
    ]);
    // Those that Node sends itself, as a browser does.
    const own = [
      "host",
      "connection",
      "accept",
      "accept-language",
      "accept-encoding",
      "sec-fetch-mode",
      "user-agent",
      "cache-control",
      "pragma",
      "content-length",
    ];
    for (const { headers } of server.received) {
      expect(headers.authorization).toBe("Bearer secret");
      const others = Object.keys(headers).filter((name) => !own.includes(name));
      expect(["authorization", "content-type"]).toEqual(expect.arrayContaining(others));
    }
  });

  it("asks a server that is told to take binary tensors nothing", async () => {
    const model = await open({ binary: true });
    await model.predict(DRAWINGS[0]!);
    expect(server.received.map(({ path }) => path)).not.toContain("/v2");
    expect(server.inferences[0]?.headers["inference-header-content-length"]).toMatch(/^\d+$/);
  });

  it("rejects an item that does not fit before any request", async () => {
    const model = await open();
    await expect(model.predict([1, 2, 3])).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(server.inferences).toEqual([]);
  });

  it("finds the item that the server refuses, and answers the others", async () => {
    const model = await open({ batching: { release: "idle" } });
    const spoiled = DRAWINGS.map(({ image }, index) => ({
      image: index === 5 ? Float32Array.from(image).fill(NaN) : image,
    }));
    const outcomes = await Promise.allSettled(spoiled.map((item) => model.predict(item)));
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === "rejected" ? [[index, outcome.reason.code]] : [],
    );
    expect(failed).toEqual([[5, "INVALID_INPUT"]]);
  });

  it("runs a fault of the server that is about the items in parts", async () => {
    const model = await open({ batching: { release: "idle" } });
    server.faults.push(status(500, { error: "no memory" }));
    expect(await model.predictMany(DRAWINGS.slice(0, 4))).toHaveLength(4);
    expect(server.inferences.length).toBeGreaterThan(2);
  });

  // defect E21
  it.each([
    ["INT64", BigInt64Array, 2n ** 53n - 1n, 2n ** 53n],
    ["INT64", BigInt64Array, 1n - 2n ** 53n, -(2n ** 63n)],
    ["UINT64", BigUint64Array, 7n, 2n ** 64n - 1n],
  ] as const)("sends %s as JSON only if it is exact there", async (datatype, Class, exact, inexact) => {
    const truth = server.metadata;
    onTestFinished(() => void (server.metadata = truth));
    const metadata = { datatype, shape: [-1, 1] };
    server.metadata = { inputs: [{ name: "x", ...metadata }], outputs: [{ name: "y", ...metadata }] };
    const model = await open({ batching: { release: "idle" } });
    server.fault = (response, { body }) => {
      const [{ shape, data }] = JSON.parse(String(body)).inputs;
      status(200, { outputs: [{ name: "y", datatype, shape, data }] })(response);
    };
    const outcomes = await Promise.allSettled([exact, inexact, exact].map((id) => model.predict(Class.of(id))));
    expect(outcomes).toMatchObject([
      { value: { y: { data: Class.of(exact) } } },
      {
        reason: { code: "INVALID_INPUT", details: { input: "x" }, message: expect.stringContaining(`got ${inexact};`) },
      },
      { value: { y: { data: Class.of(exact) } } },
    ]);
  });

  // defect C4
  it("runs a batch in parts that is too large for memory once it is padded", async () => {
    const truth = server.metadata;
    const shape = [-1, -1, -1];
    server.metadata = {
      inputs: [{ name: "x", datatype: "FP32", shape }],
      outputs: [{ name: "y", datatype: "FP32", shape }],
    };
    onTestFinished(() => void (server.metadata = truth));
    const model = await open({ padding: { x: {} }, batching: { release: "idle" } });
    server.fault = (response, { body }) => {
      const [{ shape: dims, data }] = JSON.parse(String(body)).inputs;
      status(200, { outputs: [{ name: "y", datatype: "FP32", shape: dims, data }] })(response);
    };
    const items = [
      [100_000, 1],
      [1, 100_000],
      [1, 1],
    ].map((dims) => ({
      x: { data: new Float32Array(dims[0]! * dims[1]!).fill(dims[0]!), dims },
    }));
    const answers = await Promise.all(items.map((item) => model.predict(item)));
    expect(answers.map(({ y }) => [y!.dims, y!.data[0]])).toEqual([
      [[100_000, 1], 100_000],
      [[1, 100_000], 1],
      [[1, 1], 1],
    ]);
  });

  it("asks a server again that seems too slow for maxLatencyMs after two slow answers", async () => {
    const realNow = performance.now.bind(performance);
    let aheadMs = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => realNow() + aheadMs);
    onTestFinished(() => now.mockRestore());
    const model = await open({ maxLatencyMs: 100_000 });
    const outputs = [{ name: "logits", datatype: "FP32", shape: [1, 10], data: Array.from({ length: 10 }, () => 0) }];
    const late: Fault = (response) => {
      aheadMs += 300_000;
      status(200, { outputs })(response);
    };
    server.faults.push(late, late);
    const codeOfNext = () =>
      model.predict(DRAWINGS[0]!).then(
        () => "answered",
        ({ code }) => code,
      );
    expect([await codeOfNext(), await codeOfNext(), await codeOfNext()]).toEqual([
      "answered",
      "answered",
      "OVERLOADED",
    ]);
    const found: string[] = [];
    for (let seconds = 0; seconds < 4; seconds++) {
      aheadMs += 1000;
      found.push(await codeOfNext());
    }
    expect([...found, await codeOfNext()]).toEqual(Array.from({ length: 5 }, () => "answered"));
  });

  // defect D1
  it("refuses a string that UTF-8 cannot express before any request, as JSON and binary", async () => {
    const truth = server.metadata;
    onTestFinished(() => void (server.metadata = truth));
    const text = { datatype: "BYTES", shape: [-1, 1] };
    server.metadata = { inputs: [{ name: "x", ...text }], outputs: [{ name: "y", ...text }] };
    for (const binary of [false, true]) {
      const model = await open({ binary });
      await expect(model.predict({ x: ["whole \u{1F600}, half \ud83d"] })).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
    expect(server.inferences).toEqual([]);
  });

  it("tells whether the server is ready when it is restarted", async () => {
    const model = await open();
    await model.restart();
    server.fault = status(400, { error: "unloaded" });
    await expect(model.restart()).rejects.toMatchObject({ code: "REMOTE_STATUS", details: { status: 400 } });
  });
});

describe("an aborted request", () => {
  it("ends the request to the server once no caller waits for its batch", async () => {
    const model = await open({ batching: { release: "idle" } });
    let closed = false;
    server.faults.push((response) => void response.on("close", () => (closed = true)));
    const controllers = [new AbortController(), new AbortController()];
    const waiting = controllers.map(({ signal }, index) => model.predict(DRAWINGS[index]!, { signal }));
    await until(() => server.inferences.length === 1);
    controllers[0]!.abort("enough");
    await expect(waiting[0]).rejects.toBe("enough");
    expect(closed).toBe(false);
    controllers[1]!.abort("enough");
    await expect(waiting[1]).rejects.toBe("enough");
    await until(() => closed);
    expect(await model.predict(DRAWINGS[0]!)).toHaveProperty("logits");
  });

  it("ends the request to the server when the model is disposed of", async () => {
    const model = await open({ batching: { release: "idle" } });
    let closed = false;
    server.faults.push((response) => void response.on("close", () => (closed = true)));
    const waiting = model.predict(DRAWINGS[0]!);
    await until(() => server.inferences.length === 1);
    await model.dispose();
    await expect(waiting).rejects.toMatchObject({ code: "DISPOSED" });
    await until(() => closed);
  });

  it("is not repeated after a fault", async () => {
    const clock = new ManualClock();
    const model = await open({}, clock);
    server.faults.push(status(503));
    const controller = new AbortController();
    const waiting = model.predict(DRAWINGS[0]!, { signal: controller.signal });
    await until(() => server.inferences.length === 1);
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    await until(() => model.stats().batches.inFlight === 0);
    clock.advanceTo(60_000);
    expect([clock.pending, server.inferences.length, model.stats().retries]).toEqual([0, 1, 0]);
  });

  it("ends the load while the page finds out whether CORS forbids it", async () => {
    vi.stubGlobal("self", { origin: "https://page.example" });
    const clock = new ManualClock();
    server.fault = (response, received) => {
      if (!received.path.endsWith("/live")) hangUp(response, received);
    };
    const controller = new AbortController();
    const opening = open({ signal: controller.signal }, clock);
    await until(() => server.received.some(({ path }) => path.endsWith("/live")));
    controller.abort("enough");
    await expect(opening).rejects.toBe("enough");
    expect([clock.now(), clock.pending]).toEqual([0, 0]);
  });

  it("ends the load", async () => {
    server.fault = () => undefined;
    const controller = new AbortController();
    const opening = open({ signal: controller.signal });
    await until(() => server.received.length === 1);
    controller.abort("enough");
    await expect(opening).rejects.toBe("enough");
    await expect(open({ signal: AbortSignal.abort("early") })).rejects.toBe("early");
  });
});

describe("a server that is busy or away", () => {
  const brokenOff: Fault = (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("{", () => response.destroy());
  };
  const passing: readonly [string, Fault][] = [
    ["is overloaded (429)", status(429)],
    ["is starting (503)", status(503, {}, { "retry-after": "2" })],
    ["has a gateway that cannot reach it (502)", status(502)],
    ["is overloaded and never ends its answer", endless(503)],
    ["loses the connection", hangUp],
    ["loses the connection within an answer", brokenOff],
  ];

  it.each(passing)("is asked again when it %s", async (_, fault) => {
    const clock = new ManualClock();
    const model = await open({}, clock);
    server.faults.push(fault, fault);
    const { logits } = await withClock(clock, 50, model.predict(DRAWINGS[0]!));
    expect(logits?.data).toHaveLength(10);
    expect([server.inferences.length, model.stats().retries]).toEqual([3, 2]);
  });

  it("is asked again by a page of another origin, which CORS lets read an answer that has begun", async () => {
    vi.stubGlobal("self", { origin: "https://page.example" });
    const clock = new ManualClock();
    const model = await open({}, clock);
    server.faults.push(brokenOff);
    const { logits } = await withClock(clock, 50, model.predict(DRAWINGS[0]!));
    expect(logits?.data).toHaveLength(10);
    expect([server.inferences.length, model.stats().retries]).toEqual([2, 1]);
  });

  it("is asked three times, and then every request of the batch rejects", async () => {
    const clock = new ManualClock();
    const model = await open({ batching: { release: "idle" } }, clock);
    server.faults.push(...Array.from({ length: 3 }, () => status(503, { error: "no capacity" })));
    const all = Promise.allSettled([1, 2, 3].map((seed) => model.predict(DRAWINGS[seed]!)));
    const outcomes = await withClock(clock, 50, all);
    const reasons = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null));
    expect(new Set(reasons).size).toBe(1);
    expect(reasons[0]).toMatchObject({
      code: "REMOTE_STATUS",
      details: { status: 503, tries: 3 },
      message: `expected an answer of the Open Inference Protocol from ${server.url}/v2/models/digits/infer, got the status 503 ("no capacity"); check the server (tried 3 times)`,
    });
    expect(server.inferences).toHaveLength(3);
  });

  it("waits as long as the server asks for, and not for long", async () => {
    const clock = new ManualClock();
    const waits: number[] = [];
    const schedule: Timer["schedule"] = (atMs, callback) => {
      waits.push(atMs - clock.now());
      return clock.schedule(atMs, callback);
    };
    const model = await open({}, { now: clock.now, schedule });
    server.faults.push(status(429, {}, { "retry-after": "5" }));
    const waiting = model.predict(DRAWINGS[0]!);
    await until(() => waits.includes(5000));
    clock.advanceTo(clock.now() + 4999);
    expect(model.stats().retries).toBe(0);
    clock.advanceTo(clock.now() + 1);
    expect(await waiting).toHaveProperty("logits");
    server.faults.push(status(429, {}, { "retry-after": "3600" }));
    await expect(model.predict(DRAWINGS[0]!)).rejects.toMatchObject({ details: { retryAfterMs: 3_600_000 } });
    expect(server.inferences).toHaveLength(3);
  });

  it("ends in one error when it does not answer in time", async () => {
    const clock = new ManualClock();
    const model = await open({ runTimeoutMs: 1000 }, clock);
    server.faults.push(() => undefined);
    const waiting = model.predict(DRAWINGS[0]!);
    await until(() => server.inferences.length === 1);
    await expect(withClock(clock, 100, waiting)).rejects.toMatchObject({
      code: "REMOTE_UNREACHABLE",
      message: expect.stringContaining("got nothing for 1000 ms; try again, or raise runTimeoutMs"),
    });
    expect(server.inferences).toHaveLength(1);
  });

  it("cannot be opened while nothing listens", async () => {
    const other = await InferenceServer.start(DIGITS);
    const { url } = other;
    await other.close();
    const clock = new ManualClock();
    const opening = createModelOn(url, { model: "digits" }, { timer: clock, random: () => 1 });
    await expect(withClock(clock, 50, opening)).rejects.toMatchObject({
      code: "REMOTE_UNREACHABLE",
      message: expect.stringContaining("got no answer; check the network and the server"),
    });
  });
});

describe("a server whose answer is no answer", () => {
  const body =
    (text: string, type = "application/json"): Fault =>
    (response) =>
      void response.writeHead(200, { "content-type": type }).end(text);
  const wrong: readonly [string, Fault, string, string][] = [
    [
      "a web page",
      body("<!doctype html>", "text/html; charset=utf-8"),
      "REMOTE_INVALID",
      "a web page; check the address",
    ],
    [
      "a web page with an error",
      (response) => void response.writeHead(404, { "content-type": "text/html" }).end("<p>"),
      "REMOTE_STATUS",
      'the status 404 ("a web page"); check url, model and version',
    ],
    ["a part of JSON", body('{"outputs":[{"name":"log'), "REMOTE_INVALID", "24 bytes that are not JSON"],
    ["too much", body(" ".repeat(2_000_000)), "REMOTE_INVALID", "more than 1000000 bytes; set a smaller maxBatchSize"],
    [
      "a redirect",
      (response) => void response.writeHead(307, { location: "https://elsewhere.example" }).end(),
      "REMOTE_BLOCKED",
      "a redirect; framebatch follows none",
    ],
    [
      "other rows",
      json({ outputs: [{ name: "logits", datatype: "FP32", shape: [2, 10], data: Array(20).fill(0) }] }),
      "REMOTE_INVALID",
      "1 rows on axis 0",
    ],
    [
      "no permission",
      status(403, { error: "x".repeat(1000) }),
      "REMOTE_STATUS",
      `("${"x".repeat(200)}…"); check headers`,
    ],
  ];

  it.each(wrong)("causes one clear error: %s", async (_, fault, code, message) => {
    const model = await open({ maxResponseBytes: 1_000_000 });
    server.faults.push(fault);
    await expect(model.predict(DRAWINGS[0]!)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(await model.predict(DRAWINGS[0]!)).toHaveProperty("logits");
  });

  const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
  const zeros = (count: number) => `[${Array(count).fill(0).join()}]`;

  // defects E13 and E14
  it.each([
    ["another number of rows", "[2,10]", zeros(20)],
    ["no rows", "[0,10]", "[]"],
    ["a shape that is nested 20,000 deep", nested(20_000), zeros(160)],
    ["data nested 20,000 deep", "[16,10]", nested(20_000)],
    ["20,000 dims", `[${Array(20_000).fill(1).join()}]`, nested(20_000)],
    ["a huge shape", `[${2 ** 52},10]`, "[]"],
  ])("is asked once for a whole batch when it answers %s", async (_, shape, data) => {
    const model = await open({ maxBatchSize: 16, batching: { release: "idle" } });
    const answer = `{"outputs":[{"name":"logits","datatype":"FP32","shape":${shape},"data":${data}}]}`;
    server.faults.push(...Array.from({ length: 64 }, () => body(answer)));
    const outcomes = await Promise.allSettled(DRAWINGS.slice(0, 16).map((item) => model.predict(item)));
    const codes = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
    expect(codes).toEqual(Array.from({ length: 16 }, () => "REMOTE_INVALID"));
    expect(server.inferences).toHaveLength(1);
  });

  const tensor = { name: "x", datatype: "FP32", shape: [-1, 2] };
  const descriptions: readonly [string, unknown, string, string][] = [
    ["nothing", null, "REMOTE_INVALID", "no metadata of a model"],
    ["no inputs", { inputs: [], outputs: [tensor] }, "REMOTE_INVALID", "metadata without inputs"],
    ["no outputs", { inputs: [tensor] }, "REMOTE_INVALID", "metadata without outputs"],
    [
      "an input without a type",
      { inputs: [{ name: "x", shape: [1] }], outputs: [tensor] },
      "REMOTE_INVALID",
      "without name, datatype or shape",
    ],
    [
      "a shape that is none",
      { inputs: [{ ...tensor, shape: [-1, 1.5] }], outputs: [tensor] },
      "REMOTE_INVALID",
      "not a list of sizes",
    ],
    [
      "two inputs of one name",
      { inputs: [tensor, tensor], outputs: [tensor] },
      "REMOTE_INVALID",
      "two inputs of one name",
    ],
    [
      "a name that every object has",
      { inputs: [tensor], outputs: [{ ...tensor, name: "__proto__" }] },
      "REMOTE_INVALID",
      '"__proto__"',
    ],
    // defect E15
    ...[3e7, 2 ** 40, 4097].map((rows): [string, unknown, string, string] => [
      `a batch fixed at ${rows} rows`,
      { inputs: [{ ...tensor, shape: [rows, 2] }], outputs: [{ ...tensor, shape: [rows, 2] }] },
      "REMOTE_INVALID",
      `1 to 4096 rows and at most 268435456 bytes of inputs, got one that is fixed at ${rows} rows`,
    ]),
    [
      "a batch fixed at 0 rows",
      { inputs: [{ ...tensor, shape: [0, 2] }], outputs: [{ ...tensor, shape: [0, 2] }] },
      "MODEL_INVALID",
      "expected a batch of at least one item",
    ],
    [
      "a batch fixed at 16 GiB",
      { inputs: [{ ...tensor, shape: [4096, 2 ** 20] }], outputs: [{ ...tensor, shape: [4096, 2] }] },
      "REMOTE_INVALID",
      "at most 268435456 bytes of inputs",
    ],
    [
      "a type without an array",
      { inputs: [{ ...tensor, datatype: "BF16" }], outputs: [tensor] },
      "MODEL_INVALID",
      "got BF16",
    ],
    [
      "no batch",
      { inputs: [{ ...tensor, shape: [] }], outputs: [tensor] },
      "INVALID_OPTION",
      "expected one with a batch",
    ],
  ];

  it.each(descriptions)("cannot be opened with metadata of %s", async (_, metadata, code, message) => {
    const truth = server.metadata;
    server.metadata = metadata;
    try {
      await expect(open({ maxBatchSize: 8 })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
    } finally {
      server.metadata = truth;
    }
  });
});

describe("an address", () => {
  it("is one of http: or https: without a password, and of https: on a secure page", async () => {
    const options = { model: "digits" };
    await expect(createModelOn("ftp://host", options)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(createModelOn("https://a:b@host", options)).rejects.toThrow("pass an Authorization header");
    vi.stubGlobal("self", { origin: "https://page.example" });
    await expect(createModelOn("http://host/path?token=1", options)).rejects.toMatchObject({
      code: "REMOTE_BLOCKED",
      message:
        "expected a server with https:, since the page is secure, got http://host; browsers block it as mixed content: serve it with TLS",
    });
    // A server on this machine may lack TLS.
    const model = await open();
    expect(await model.predict(DRAWINGS[0]!)).toHaveProperty("logits");
  });

  it("is of the server, with or without a path", async () => {
    const model = await createModelOn(`${server.url}/?token=1#part`, { model: "digits" });
    models.push(model);
    expect(server.received[0]?.path).toBe("/v2/models/digits/ready?token=1");
    await expect(createModelOn(`${server.url}/prefix/`, { model: "a b/c" })).rejects.toMatchObject({
      code: "REMOTE_STATUS",
      message: expect.stringContaining("/prefix/v2/models/a%20b%2Fc/ready"),
    });
  });
});

describe("the options of a remote model", () => {
  // defect E19
  it("are taken at the call: the caller may change headers and the address afterwards", async () => {
    const headers: Record<string, string> = { authorization: "Bearer one" };
    const url = new URL(server.url);
    const opening = createRemoteModel(url, { model: "digits", headers });
    headers["authorization"] = "Bearer two";
    url.port = "1";
    const model = await opening;
    models.push(model);
    await model.predict(DRAWINGS[0]!);
    const sent = new Set(server.received.map((received) => received.headers.authorization));
    expect([...sent]).toEqual(["Bearer one"]);
  });

  const wrong: readonly [unknown, string][] = [
    [undefined, "options: expected an object"],
    [{}, "model: expected the name of a model, got undefined"],
    [{ model: "" }, "model: expected the name of a model"],
    [{ model: ".." }, "model: expected the name of a model"],
    [{ model: "." }, "model: expected the name of a model"],
    [{ model: "\ud800" }, "model: expected the name of a model"],
    [{ model: "m", version: ".." }, "version: expected the name of a version"],
    [{ model: "m", modle: "m" }, 'modle: expected an option that exists, got an unknown one; did you mean "model"?'],
    [{ model: "m", headers: { a: 1 } }, 'headers["a"]: expected a string'],
    [{ model: "m", headers: { "a b": "1" } }, 'headers["a b"]: expected a header that HTTP allows'],
    [{ model: "m", headers: { a: "secret\r\nb: 2" } }, 'headers["a"]: expected a header that HTTP allows'],
    [{ model: "m", instances: 0 }, "instances: expected a whole number from 1 to 16"],
    [{ model: "m", maxBatchSize: 0 }, "maxBatchSize: expected a whole number"],
    [{ model: "m", executionProviders: ["wasm"] }, "executionProviders: expected an option that exists"],
  ];

  it.each(wrong)("are checked at once: %j", async (options, message) => {
    const given: RemoteModelOptions = JSON.parse(JSON.stringify(options ?? null));
    const error: unknown = await createModelOn(server.url, given).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining(message) });
    expect(String(error)).not.toContain("secret");
    expect(server.received).toEqual([]);
  });
});
