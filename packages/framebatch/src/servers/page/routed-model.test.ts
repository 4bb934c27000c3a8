import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { keepSource } from "../../client/options/model-source.js";
import { createHybridModelAt } from "./create-hybrid-model.js";
import type { RemoteSideOptions } from "./hybrid-options.js";
import type { HybridModel, Outputs, RemoteMode } from "../../client/options/model.js";
import type { ModelOptions } from "../../client/options/options.js";
import { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
import { hostSite, lateSite } from "../../../test/support/channel-worker.js";
import { type Fault, hangUp, InferenceServer, json, status } from "../../../test/support/inference-server.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { hybridInNode, modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import { until, withClock } from "@framebatch/host/test/settling.js";
import { pipelineOn } from "@framebatch/pipelines/test/pipelines.js";

const DIGITS = new Uint8Array(readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url)));
const DRAWINGS = Array.from({ length: 12 }, (_, seed) => ({
  image: Float32Array.from({ length: 784 }, (_pixel, index) => (index % (seed + 2) === 0 ? 1 : 0.1)),
}));
const TRUTH = { executionProviders: ["wasm"], verify: false, warmup: false } as const;

const realFetch = fetch;

let server: InferenceServer;
let expected: Outputs[];
const models: HybridModel[] = [];

beforeAll(async () => {
  server = await InferenceServer.start(DIGITS);
  stubBrowser();
  const local = await modelInNode(DIGITS, TRUTH);
  expected = await local.predictMany(DRAWINGS);
  await local.dispose();
});
beforeEach(() => {
  server.received.length = 0;
  server.faults.length = 0;
  server.fault = null;
});
afterEach(async () => {
  for (const model of models.splice(0)) await model.dispose();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.close();
});

/** Wrong values of `remote`, and what the error says. */
const WRONG_OPTIONS: readonly (readonly [object, RegExp])[] = [
  [{ mode: "sometimes" }, /remote\.mode: expected "only-on-device", .* got string "sometimes"/],
  [{ url: "" }, /remote\.url: expected the address of a server/],
  [{ url: "ftp://x" }, /url: expected an address with https/],
  [{ model: undefined }, /remote\.model: expected the name of a model/],
  [{ modle: "digits" }, /did you mean "model"/],
  [{ maxBatchSize: 0 }, /remote\.maxBatchSize: expected a whole number from 1 to 4096/],
];

interface OpenOptions extends Partial<RemoteSideOptions> {
  readonly local?: ModelOptions;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly site?: ReturnType<typeof hostSite>;
}

async function open(
  mode: RemoteMode,
  { local = {}, bytes = DIGITS, site = hostSite(), ...remote }: OpenOptions = {},
): Promise<HybridModel> {
  const { remote: _, ...options } = local;
  const all = { ...TRUTH, ...options, remote: { url: server.url, model: "digits", mode, ...remote } };
  const model = await hybridInNode(bytes, all, undefined, site);
  models.push(model);
  return model;
}

/** Predicts drawing `index` and returns where its answer comes from, once the answer is right. */
async function originOf(model: HybridModel, index = 0): Promise<string> {
  const { outputs, origin } = await model.predictDetailed(DRAWINGS[index]!);
  const right: ArrayLike<unknown> = expected[index]!["logits"]!.data;
  const got: ArrayLike<unknown> = outputs["logits"]!.data;
  const differences = Array.from(got, (value, at) => Math.abs(Number(value) - Number(right[at])));
  expect(Math.max(...differences)).toBeLessThan(1e-4);
  return origin;
}

async function answersOf(stream: AsyncIterable<Outputs>): Promise<Outputs[]> {
  const answers: Outputs[] = [];
  for await (const answer of stream) answers.push(answer);
  return answers;
}

/** Resolves when both sides have the model. */
const joined = (model: HybridModel) => until(() => Object.keys(model.stats().models).length === 2);

describe("a model with a server", () => {
  it.each([
    ["only-on-device", "device"],
    ["prefer-on-device", "device"],
    ["prefer-in-cloud", "server"],
    ["only-in-cloud", "server"],
  ] as const)("%s: the %s answers", async (mode, origin) => {
    const model = await open(mode);
    expect(await originOf(model)).toBe(origin);
    expect(model.inputs).toMatchObject([{ name: "image", dims: [null, 1, 28, 28] }]);
    const stats = model.stats();
    expect(stats).toMatchObject({ mode, state: "ready", requests: { offered: 1, completed: { [origin]: 1 } } });
    expect(stats.models[origin]?.requests.completed).toBe(1);
    if (mode.startsWith("only")) expect(Object.keys(stats.models)).toEqual([origin]);
    if (mode === "only-on-device") expect(server.received).toEqual([]);
    expect(model.executionProvider).toBe(stats.models.device === undefined ? null : "wasm");
    expect(toPrometheusText(stats)).toContain(`model="${origin}"`);
  });

  it("predicts lists and streams, and reports batches of both sides", async () => {
    const model = await open("prefer-in-cloud");
    await joined(model);
    const origins = new Set<string>();
    model.addEventListener("batch", ({ detail }) => origins.add(detail.origin));
    expect(await model.predictMany(DRAWINGS)).toHaveLength(12);
    server.fault = hangUp;
    const labels: unknown[] = [];
    for await (const { logits } of model.predictStream(DRAWINGS)) labels.push(logits?.dims);
    expect(labels).toEqual(Array.from({ length: 12 }, () => [10]));
    expect([...origins].toSorted()).toEqual(["device", "server"]);
  });

  it("answers on the server if the model cannot be loaded here, and reports why", async () => {
    const model = await open("prefer-on-device", { bytes: new Uint8Array([1, 2, 3]) });
    const errors: string[] = [];
    model.addEventListener("error", ({ detail }) => void errors.push(detail.code));
    expect(await originOf(model)).toBe("server");
    expect(model.executionProvider).toBeNull();
    await until(() => errors.length > 0);
    expect(errors).toEqual(["MODEL_INVALID"]);
  });

  it("rejects with the error of the preferred side if neither can predict", async () => {
    server.fault = status(404);
    await expect(open("prefer-on-device", { bytes: new Uint8Array([1]) })).rejects.toMatchObject({
      code: "MODEL_INVALID",
      details: { otherOrigin: "server", otherCode: "REMOTE_STATUS" },
    });
    await expect(open("prefer-in-cloud", { bytes: new Uint8Array([1]) })).rejects.toMatchObject({
      code: "REMOTE_STATUS",
      details: { otherOrigin: "device", otherCode: "MODEL_INVALID" },
    });
    await expect(open("only-in-cloud")).rejects.toMatchObject({ code: "REMOTE_STATUS", details: { status: 404 } });
  });

  it("lets a request that the server fails wait for a device that is still loading", async () => {
    let loadNow = () => {};
    const site = lateSite(new Promise((resolve) => (loadNow = resolve)));
    const model = await open("prefer-in-cloud", { site });
    server.fault = status(404);
    const origin = originOf(model);
    expect(model.stats().models.device).toBeUndefined();
    loadNow();
    expect(await origin).toBe("device");
  });

  it("lets a request wait for a device that loads in the time that the server has asked for", async () => {
    let loadNow = () => undefined as void;
    const site = lateSite(new Promise((resolve) => (loadNow = resolve)));
    const model = await open("prefer-in-cloud", { site });
    server.faults.push(status(429, {}, { "retry-after": "600" }));
    const first = originOf(model);
    await until(() => model.stats().serverError !== null);
    const second = originOf(model, 1);
    await until(() => model.stats().models.server?.requests.failed === 2 || server.inferences.length > 1);
    loadNow();
    expect(await Promise.all([first, second])).toEqual(["device", "device"]);
    expect(server.inferences).toHaveLength(1);
  });

  it("uses a server that comes up later", async () => {
    server.fault = status(404);
    const model = await open("prefer-in-cloud");
    expect(await originOf(model)).toBe("device");
    expect(model.stats()).toMatchObject({ serverError: "REMOTE_STATUS", models: {} });
    server.fault = null;
    while (model.stats().models.server === undefined) await model.predict(DRAWINGS[0]!);
    expect(await originOf(model)).toBe("server");
    expect(model.stats().serverError).toBeNull();
  });

  it("loads the device again when it is restarted, and reports why it fails again", async () => {
    const [broken, real] = [new Blob([new Uint8Array([1, 2, 3])]), new Blob([DIGITS])];
    let file = broken;
    vi.stubGlobal("fetch", (url: string, init?: RequestInit) =>
      url === "https://page.example/digits.onnx" ? Promise.resolve(new Response(file)) : realFetch(url, init),
    );
    onTestFinished(() => void vi.stubGlobal("fetch", realFetch));
    const remote = { url: server.url, model: "digits" } as const;
    const source = keepSource("https://page.example/digits.onnx");
    const options = { ...TRUTH, cache: false, remote };
    const model = await createHybridModelAt({ site: hostSite(), share: null }, source, options);
    models.push(model);
    const errors: string[] = [];
    model.addEventListener("error", ({ detail }) => void errors.push(detail.code));
    await model.restart();
    expect(await originOf(model)).toBe("server");
    await until(() => errors.length === 2);
    expect(errors).toEqual(["MODEL_INVALID", "MODEL_INVALID"]);
    file = real;
    await Promise.all([model.restart(), model.restart()]);
    expect(await originOf(model)).toBe("device");
    expect(model.executionProvider).toBe("wasm");
  });

  it("opens a server again that could not be opened when it is restarted", async () => {
    server.fault = status(404);
    const model = await open("prefer-in-cloud");
    await model.restart();
    expect(model.stats().serverError).toBe("REMOTE_STATUS");
    server.fault = null;
    await model.restart();
    expect(await originOf(model)).toBe("server");
  });

  // defect C15
  it("rejects a request that a listener of its server's error aborts with the reason of its signal", async () => {
    const model = await open("prefer-in-cloud");
    await joined(model);
    const controller = new AbortController();
    model.addEventListener("error", () => controller.abort("enough"));
    server.fault = hangUp;
    await expect(model.predict(DRAWINGS[0]!, { signal: controller.signal })).rejects.toBe("enough");
    const requests = { offered: 1, rejected: 1, open: 0, movedTo: { device: 0 } };
    expect(model.stats()).toMatchObject({ serverError: "REMOTE_UNREACHABLE", requests });
  });

  // defect E20
  it("does not ask a server before the time that its Retry-After names", async () => {
    const clock = new ManualClock();
    const remote = { url: server.url, model: "digits", mode: "prefer-in-cloud" } as const;
    const model = await hybridInNode(DIGITS, { ...TRUTH, remote }, { timer: clock, random: () => 1 });
    models.push(model);
    await joined(model);
    server.faults.push(status(503, {}, { "retry-after": "600" }));
    const origins: string[] = [];
    for (const atMs of [0, 599_999, 600_000]) {
      clock.advanceTo(atMs);
      origins.push(await originOf(model));
    }
    expect(origins).toEqual(["device", "device", "server"]);
    expect(server.inferences).toHaveLength(2);
  });

  it("does not ask a server in the time that it has asked for while the rest of that answer is on its way", async () => {
    const model = await open("prefer-in-cloud");
    await joined(model);
    const controller = new AbortController();
    server.faults.push((response) => {
      response.writeHead(429, { "retry-after": "600", "content-length": "9" }).flushHeaders();
    });
    const first = model.predict(DRAWINGS[0]!, { signal: controller.signal });
    await until(() => server.inferences.length === 1);
    const origins: string[] = [];
    while (origins.at(-1) !== "device" && server.inferences.length < 9) origins.push(await originOf(model, 1));
    const { length } = server.inferences;
    controller.abort("enough");
    await expect(first).rejects.toBe("enough");
    expect([await originOf(model, 2), await originOf(model, 3)]).toEqual(["device", "device"]);
    expect(server.inferences).toHaveLength(length);
    expect(model.stats().serverError).toBeNull();
  });

  it("does not look on the server for the item at fault in the time that the server has asked for", async () => {
    const model = await open("prefer-in-cloud");
    await joined(model);
    const held: ServerResponse[] = [];
    const hold: Fault = (response) => void held.push(response);
    server.faults.push(hold, hold);
    const first = originOf(model);
    model.flush();
    await until(() => held.length === 1);
    const others = [1, 2, 3, 4].map((index) => originOf(model, index));
    model.flush();
    await until(() => held.length === 2);
    status(429, {}, { "retry-after": "600" })(held[0]!);
    expect(await first).toBe("device");
    status(500)(held[1]!);
    expect(await Promise.all(others)).toEqual(["device", "device", "device", "device"]);
    expect(server.inferences).toHaveLength(2);
  });

  it("asks a server again when the time is over that it has asked for while the device loaded", async () => {
    const clock = new ManualClock();
    let loadNow = () => undefined as void;
    const site = lateSite(new Promise((resolve) => (loadNow = resolve)));
    const remote = { url: server.url, model: "digits", mode: "prefer-in-cloud" } as const;
    const model = await hybridInNode(DIGITS, { ...TRUTH, remote }, { timer: clock, random: () => 0 }, site);
    models.push(model);
    server.faults.push(status(503, {}, { "retry-after": "5" }));
    const first = originOf(model);
    await until(() => clock.nextAtMs === 5000);
    clock.advanceTo(1000);
    loadNow();
    expect(await first).toBe("device");
    clock.advanceTo(4999);
    expect(await originOf(model, 1)).toBe("device");
    clock.advanceTo(5000);
    expect(await originOf(model, 2)).toBe("server");
    expect(server.inferences).toHaveLength(2);
  });

  it("rejects only the request whose array was given away twice, if both wait for the server", async () => {
    const model = await open("prefer-on-device", { local: { maxQueueSize: 3 } });
    await joined(model);
    const first = [0, 1, 2].map((index) => originOf(model, index));
    const given = { image: DRAWINGS[4]!.image.slice() };
    const others = [originOf(model, 3), ...[1, 2].map(() => model.predict(given, { transfer: true }))];
    const ends = await Promise.allSettled(others);
    expect(ends).toMatchObject([
      { value: "server" },
      { value: expected[4] },
      { reason: { code: "INVALID_INPUT", message: /buffer was transferred away/ } },
    ]);
    expect(await Promise.all(first)).toEqual(["device", "device", "device"]);
  });

  it.each([true, false])(
    "lets a pipeline's stream go on if the device has no room and the server fails (transfer: %s)",
    async (transfer) => {
      const clock = new ManualClock();
      const model = await open("prefer-on-device", { local: { maxQueueSize: 1, maxBatchSize: 1 } });
      await joined(model);
      server.fault = status(503);
      const stage = pipelineOn<(typeof DRAWINGS)[number]>(clock).stage(model, { transfer });
      const items = DRAWINGS.slice(0, 6).map(({ image }) => ({ image: image.slice() }));
      const answers = withClock(clock, 50, answersOf(stage.runStream(items)));
      expect(await answers).toEqual(expected.slice(0, 6));
      expect(server.inferences.length).toBeGreaterThan(0);
    },
  );

  it("lets requests that wait for a lost device leave for the server", async () => {
    const site = hostSite();
    const model = await open("prefer-on-device", { local: { maxBatchSize: 1 }, site });
    await joined(model);
    const origins = DRAWINGS.map((_, index) => originOf(model, index));
    await until(() => (model.stats().models.device?.requests.inFlight ?? 0) > 0);
    site.started[0]!.fail("broken on purpose");
    expect(await Promise.all(origins)).toContain("server");
    expect(model.stats().requests).toMatchObject({ rejected: 0, open: 0 });
  });

  it.each([
    [
      { inputs: [{ name: "picture", datatype: "FP32", shape: [-1, 1, 28, 28] }] },
      /one of this name.*"image".*got none.*remote.version/,
    ],
    [
      { inputs: [{ name: "image", datatype: "UINT8", shape: [-1, 1, 28, 28] }] },
      /float32 .*"image", got uint8.*remote.version/,
    ],
    [
      { inputs: [{ name: "image", datatype: "FP32", shape: [-1, 3, 28, 28] }] },
      /1, 28, 28\].* got \[\?, 3, 28, 28\].*remote.version/,
    ],
    [
      { outputs: [{ name: "logits", datatype: "FP32", shape: [-1, 11] }] },
      /output "logits", got \[\?, 11\].*remote.version/,
    ],
    // defect E15
    [
      { inputs: [{ name: "image", datatype: "FP32", shape: [2 ** 40, 1, 28, 28] }] },
      /1 to 4096 rows .* fixed at 1099511627776 rows; serve the model/,
    ],
  ])("does not ask a server with another model: %j", async (metadata, message) => {
    const truth = server.metadata;
    server.metadata = { ...Object(truth), ...metadata };
    try {
      const model = await open("prefer-on-device");
      const errors: string[] = [];
      model.addEventListener("error", ({ detail }) => void errors.push(detail.message));
      await until(() => errors.length > 0);
      expect(errors[0]).toMatch(message);
      expect(model.stats().serverError).toBe("REMOTE_INVALID");
      expect(await originOf(model)).toBe("device");
    } finally {
      server.metadata = truth;
    }
  });

  it("ends both sides when it is disposed, and rejects once", async () => {
    const model = await open("prefer-in-cloud");
    server.fault = () => undefined;
    const open1 = model.predict(DRAWINGS[0]!);
    const states: string[] = [];
    model.addEventListener("statechange", ({ detail }) => void states.push(detail.state));
    await model.dispose();
    await expect(open1).rejects.toMatchObject({ code: "DISPOSED" });
    await expect(model.predict(DRAWINGS[0]!)).rejects.toMatchObject({ code: "DISPOSED" });
    expect(states).toEqual(["disposed"]);
    expect(model.stats().requests).toMatchObject({ offered: 2, rejected: 2, open: 0 });
  });

  it("says nothing of the server when it is disposed while that is opened, and does not open it again", async () => {
    server.fault = () => undefined;
    const model = await open("prefer-on-device");
    const errors: string[] = [];
    model.addEventListener("error", ({ detail }) => void errors.push(detail.code));
    await until(() => server.received.length === 1);
    await model.dispose();
    await expect(model.predict(DRAWINGS[0]!)).rejects.toMatchObject({ code: "DISPOSED" });
    await expect(model.predict(DRAWINGS[0]!)).rejects.toMatchObject({ code: "DISPOSED" });
    expect(model.stats().serverError).toBeNull();
    expect(errors).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it("rejects with the reason of its signal while it loads", async () => {
    const controller = new AbortController();
    server.fault = () => undefined;
    const opening = open("prefer-in-cloud", { local: { signal: controller.signal } });
    controller.abort("changed my mind");
    await expect(opening).rejects.toBe("changed my mind");
    await expect(open("only-in-cloud", { local: { signal: controller.signal } })).rejects.toBe("changed my mind");
  });

  it.each(WRONG_OPTIONS)("rejects wrong options: %j", async (wrong, message) => {
    const remote = Object.assign({ url: server.url, model: "digits" }, wrong);
    await expect(hybridInNode(DIGITS, { remote })).rejects.toThrow(message);
    expect(server.received).toEqual([]);
  });

  it("rejects a size of the server's side that contradicts the sizes of both, before it asks the server", async () => {
    const remote = { url: server.url, model: "digits", maxBatchSize: 8 };
    await expect(hybridInNode(DIGITS, { remote, allowedBatchSizes: [1, 4] })).rejects.toThrow(
      /^maxBatchSize: expected 4, the last of allowedBatchSizes, got number 8/,
    );
    expect(server.received).toEqual([]);
  });

  it("rejects a worker with handlers", async () => {
    const handlers: object = { worker: () => null };
    const options = Object.assign({ remote: { url: server.url, model: "digits" } }, handlers);
    await expect(createHybridModelAt({ site: hostSite(), share: null }, keepSource(DIGITS), options)).rejects.toThrow(
      /worker: expected no value, because remote is set/,
    );
  });
});

/** What a server can do to a request in place of answering it, and the error that this is without a device. */
const FAULTS: Readonly<Record<string, readonly [Fault, { readonly code: string; readonly details?: object }]>> = {
  "closes the connection": [hangUp, { code: "REMOTE_UNREACHABLE" }],
  "never answers": [() => undefined, { code: "REMOTE_UNREACHABLE", details: { timeoutMs: 200 } }],
  "is overloaded": [status(503), { code: "REMOTE_STATUS", details: { status: 503, tries: 3 } }],
  "wants no more requests for a while": [
    status(429, { error: "slow down" }, { "retry-after": "60" }),
    { code: "REMOTE_STATUS", details: { status: 429, retryAfterMs: 60_000 } },
  ],
  fails: [status(500), { code: "REMOTE_STATUS", details: { status: 500 } }],
  "rejects the request": [status(400), { code: "REMOTE_STATUS", details: { status: 400 } }],
  "answers with other dims": [
    json({ outputs: [{ name: "logits", datatype: "FP32", shape: [1, 3], data: [1, 2, 3] }] }),
    { code: "REMOTE_INVALID" },
  ],
  // defect E13
  "answers with other rows": [
    json({ outputs: [{ name: "logits", datatype: "FP32", shape: [2, 10], data: Array(20).fill(0) }] }),
    { code: "REMOTE_INVALID" },
  ],
  // defect E14
  "answers with a shape that is nested 20,000 deep": [
    (response) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(`{"outputs":[{"name":"logits","datatype":"FP32","shape":${"[".repeat(20_000)}${"]".repeat(20_000)}}]}`),
    { code: "REMOTE_INVALID" },
  ],
  "answers with a part of a body": [
    (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" }).write('{"outputs":[');
      setImmediate(() => response.destroy());
    },
    { code: "REMOTE_UNREACHABLE" },
  ],
  "answers with a part of its JSON": [
    (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"outputs":['),
    { code: "REMOTE_INVALID" },
  ],
  "answers with a web page": [
    (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    { code: "REMOTE_INVALID" },
  ],
  redirects: [
    (response) => void response.writeHead(302, { location: "https://elsewhere.example" }).end(),
    { code: "REMOTE_BLOCKED" },
  ],
};

describe.each(Object.entries(FAULTS))("a server that %s", (_, [fault, error]) => {
  it("is replaced by the device", async () => {
    const model = await open("prefer-in-cloud", { runTimeoutMs: 200 });
    await joined(model);
    server.fault = fault;
    expect(await originOf(model, 1)).toBe("device");
    expect(model.stats().requests).toMatchObject({ movedTo: { device: 1 }, rejected: 0 });
    const isItemsFault = error.details !== undefined && "status" in error.details && error.details.status === 400;
    expect(model.stats().serverError).toBe(isItemsFault ? null : error.code);
  });

  it("causes one clear error if there is no device", async () => {
    const model = await open("only-in-cloud", { runTimeoutMs: 200 });
    server.fault = fault;
    await expect(model.predict(DRAWINGS[1]!)).rejects.toMatchObject(error);
  });
});

it("a server that is gone is replaced by the device", async () => {
  const gone = await InferenceServer.start(DIGITS);
  const model = await open("prefer-in-cloud", { url: gone.url });
  await joined(model);
  expect(await originOf(model)).toBe("server");
  await gone.close();
  const origins = await Promise.all(DRAWINGS.map((_, index) => originOf(model, index)));
  expect(new Set(origins)).toEqual(new Set(["device"]));
  expect(model.stats()).toMatchObject({ serverError: "REMOTE_UNREACHABLE", state: "ready" });
});

it("a server with plain http is replaced by the device on a secure page", async () => {
  vi.stubGlobal("self", { origin: "https://page.example" });
  try {
    const model = await open("prefer-in-cloud", { url: "http://inference.example" });
    expect(await originOf(model)).toBe("device");
    expect(model.stats().serverError).toBe("REMOTE_BLOCKED");
    await expect(open("only-in-cloud", { url: "http://inference.example" })).rejects.toMatchObject({
      code: "REMOTE_BLOCKED",
    });
  } finally {
    vi.stubGlobal("self", undefined);
  }
});

/**
 * Asks the server for one batch of four. Returns whether it was sent in parts, who answered, and the error of the
 * outage.
 */
async function askedWith(fault: Fault) {
  const model = await open("prefer-in-cloud", { local: { maxBatchSize: 4, batching: { release: "idle" } } });
  await joined(model);
  server.fault = fault;
  const origins = await Promise.all([0, 1, 2, 3].map((index) => originOf(model, index)));
  return { isInParts: server.inferences.length > 1, origins, outage: model.stats().serverError };
}

describe("the status of an answer", () => {
  const onDevice = Array.from({ length: 4 }, () => "device");

  // defect E17
  it.each([401, 402, 404, 408, 410, 425, 429, 501, 502, 503, 507, 520])(
    "begins an outage after one request if it blames the server: %d",
    async (code) => {
      expect(await askedWith(status(code))).toEqual({ isInParts: false, origins: onDevice, outage: "REMOTE_STATUS" });
    },
  );

  // defect E17
  it.each([400, 406, 409, 413, 422, 431])(
    "begins no outage if it blames the items, whose batch is sent in parts: %d",
    async (code) => {
      expect(await askedWith(status(code))).toEqual({ isInParts: true, origins: onDevice, outage: null });
    },
  );

  // defect E17
  it("begins no outage if it is 500 for one item, and the server answers the others", async () => {
    const poison = DRAWINGS[3]!.image.join(",");
    const fault: Fault = (response, received) =>
      String(received.body).includes(poison) ? status(500)(response) : void server.answer(response, received);
    const origins = ["server", "server", "server", "device"];
    expect(await askedWith(fault)).toEqual({ isInParts: true, origins, outage: null });
  });
});
