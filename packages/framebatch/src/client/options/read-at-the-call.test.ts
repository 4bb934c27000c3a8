import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { batched } from "@framebatch/batcher/functions/batched.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { generateModel } from "@framebatch/models/generate";
import { createBatchedModel } from "../api/packaged.js";
import { createModelGroup } from "../api/packaged-group.js";
import { createModelHub } from "../api/packaged-hub.js";
import { createRemoteModel } from "../api/packaged-remote.js";
import { createBatchedWorker } from "../api/packaged-worker.js";
import {
  createBatchedModelBeside,
  createBatchedWorkerHere,
  createModelHubBeside,
  createRemoteModelHere,
} from "../../standalone.js";
import { createModelAt } from "../model/create-batched-model.js";
import type { RunReply, RunRequest } from "../../transport/protocol.js";
import { channelSite, hostSite } from "../../../test/support/channel-worker.js";
import { groupSite } from "../../../test/support/group-site.js";
import { InferenceServer } from "../../../test/support/inference-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { numbersOfRun, ready, scripted } from "../../../test/support/scripted-plan.js";
import { watchOptions } from "../../../test/support/watched-options.js";
import type { Outputs } from "./model.js";
import { keepSource } from "./model-source.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));
const SCRIPT = "https://page.example/framebatch.js";
const ITEM = { x: Float32Array.of(3) };

const signature = resolveSignature(
  [{ name: "x", type: "float32", shape: ["batch", 1] }],
  [{ name: "y", type: "float32", shape: ["batch", 1] }],
);

/** Workers that answer with twice the numbers of the rows, or hold the items of an engine for ever. */
const doubling = channelSite(() =>
  scripted({
    load: async () => ready("wasm", { signature, padding: planPadding(signature) }),
    run: async (request) => doubled(request),
  }),
);

function doubled(request: RunRequest): RunReply {
  const data = Float32Array.from(numbersOfRun(request), (value) => 2 * value);
  return { ok: true, outputs: { y: { type: "float32", dims: [data.length, 1], data } }, inferenceMs: 1 };
}

beforeEach(() => useWorkers(doubling));
afterEach(() => vi.unstubAllGlobals());

function useWorkers(site: { start(): object }): void {
  stubBrowser();
  Object.assign(document, { baseURI: "https://page.example/" });
  vi.stubGlobal("Worker", function startWorker() {
    return Object.assign(site.start(), { [Symbol.toStringTag]: "Worker" });
  });
  vi.stubGlobal("self", { origin: "https://page.example" });
}

const startWorker = () => Reflect.construct(Worker, []);

const GROUP_OPTIONS = {
  executionProviders: ["wasm"],
  providerOptions: { webgpu: { preferredLayout: "NHWC", forceCpuNodeNames: ["a"] } },
} as const;

const OPTIONS = {
  ...GROUP_OPTIONS,
  batching: { release: "idle" },
  allowedBatchSizes: [1, 4],
  batchAxis: { x: 0 },
  padding: { x: { value: 0, buckets: [1, 2] } },
  validate: { x: { min: 0, max: 9 } },
  verify: { budgetMs: 1 },
  agreement: { relative: 0.1 },
  samples: [{ x: Float32Array.of(1) }],
  externalData: [{ path: "weights.data", source: new Uint8Array(1) }],
  sessionOptions: { extra: { session: { "session.intra_op.allow_spinning": "0" } } },
  cache: false,
} as const;

const { executionProviders: _of, providerOptions: _group, ...OF_GROUPED } = OPTIONS;

/** Begins a call with watched options. Returns what has to happen until nothing more can read them. */
type Call<Options extends object> = (options: Options) => PromiseLike<unknown>;

/** Makes a call whose options are read after it has returned. @returns what was read then */
async function lateReads<Options extends object>(given: Options, call: Call<Options>): Promise<readonly string[]> {
  const watched = watchOptions(given);
  const rest = call(watched.options);
  watched.seal();
  await rest;
  return watched.late;
}

interface Asked {
  predict(item: typeof ITEM): Promise<unknown>;
  dispose(): Promise<void>;
}

async function use(opening: Promise<Asked>): Promise<void> {
  const model = await opening;
  await model.predict(ITEM);
  await model.dispose();
}

it.each([
  ["createBatchedModel", createBatchedModel],
  ["createBatchedModel of a page without a bundler", createBatchedModelBeside(SCRIPT)],
])("%s", async (_name, create) => {
  expect(await lateReads(OPTIONS, (options) => use(create(new Uint8Array(1), options)))).toEqual([]);
});

it.each([
  ["register of a hub", createModelHub],
  ["register of a hub of a page without a bundler", createModelHubBeside(SCRIPT)],
])("%s", async (_name, create) => {
  const hub = create();
  const late = await lateReads(OPTIONS, (options) => {
    hub.register("a", new Uint8Array(1), options);
    return hub.get("a").then((model) => model.predict(ITEM));
  });
  await hub.dispose();
  expect(late).toEqual([]);
});

it("createModelGroup", async () => {
  useWorkers(groupSite({ runtimeBytes: 1, modelBytes: {} }));
  const late = await lateReads(GROUP_OPTIONS, (options) => {
    const group = createModelGroup(options);
    return use(createBatchedModel(new Uint8Array(1), { ...OF_GROUPED, group })).then(() => group.dispose());
  });
  expect(late).toEqual([]);
});

it("createBatchedModel of a group, and its keepOnDevice", async () => {
  useWorkers(groupSite({ runtimeBytes: 1, modelBytes: {} }));
  const group = createModelGroup();
  const opening = lateReads({ ...OF_GROUPED, group }, (options) => use(createBatchedModel(new Uint8Array(1), options)));
  expect(await opening).toEqual([]);
  const model = await createBatchedModel(new Uint8Array(1), { group, cache: false });
  expect(await lateReads({ keepOnDevice: ["y"] }, (options) => model.predict(ITEM, options))).toEqual([]);
  await group.dispose();
});

it.each([
  ["createBatchedWorker", createBatchedWorker],
  ["createBatchedWorker of a page without a bundler", createBatchedWorkerHere],
])("%s", async (_name, create) => {
  const given = {
    batching: { release: "idle" },
    allowedBatchSizes: [1, 4],
    samples: [[1], [2]],
    verify: { tolerance: 1 },
  };
  const late = await lateReads(given, async (options) => {
    const worker = await Reflect.apply(create, null, [startWorker, options]);
    await worker.dispose();
  });
  expect(late).toEqual([]);
});

it.each([
  ["createRemoteModel", createRemoteModel],
  ["createRemoteModel of a page without a bundler", createRemoteModelHere],
])("%s", async (_name, create) => {
  const server = await InferenceServer.start(DIGITS);
  onTestFinished(() => server.close());
  const given = {
    model: "digits",
    headers: { a: "b" },
    batching: { release: "idle" },
    validate: { image: { min: 0 } },
  } as const;
  const late = await lateReads(given, async (options) => {
    const model = await create(server.url, options);
    await model.predict(new Float32Array(784));
    await model.dispose();
  });
  expect(late).toEqual([]);
});

it("createBatchedModel with a server", async () => {
  const server = await InferenceServer.start(DIGITS);
  onTestFinished(() => server.close());
  const remote = { url: server.url, model: "digits", mode: "only-in-cloud", headers: { a: "b" } } as const;
  const late = await lateReads({ remote, batching: { release: "idle" } } as const, async (options) => {
    const model = await createBatchedModel("/digits.onnx", options);
    await model.predict(new Float32Array(784));
    await model.dispose();
  });
  expect(late).toEqual([]);
});

const BATCHED = { batching: { release: "idle" }, allowedBatchSizes: [1, 4], dedupe: true } as const;

it("batched", async () => {
  const late = await lateReads(BATCHED, (options) =>
    batched(async (items: readonly number[]) => items, options).many([1, 2, 3]),
  );
  expect(late).toEqual([]);
});

it("batched as a decorator", async () => {
  const list = async (items: readonly number[]) => items;
  const descriptor = { value: list };
  const late = await lateReads(BATCHED, (options) => {
    batched<number>(options)({}, "list", descriptor);
    return Promise.resolve().then(() => Reflect.apply(descriptor.value, {}, [[1, 2, 3]]));
  });
  expect(late).toEqual([]);
});

/** The options of a request, which reads those of a stage later. */
const REQUEST = { signal: new AbortController().signal, timeoutMs: 1000, priority: "background" } as const;

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

it("requests to a model", async () => {
  const model = await createBatchedModel(new Uint8Array(1), { cache: false, executionProviders: ["wasm"] });
  const transfer = { ...REQUEST, transfer: true };
  const item = () => ({ x: Float32Array.of(3) });
  expect(await lateReads({ ...transfer, key: "k" }, (options) => model.predict(item(), options))).toEqual([]);
  expect(await lateReads({ ...transfer, key: "k" }, (options) => model.predictDetailed(item(), options))).toEqual([]);
  expect(await lateReads(transfer, (options) => model.predictMany([item(), item()], options))).toEqual([]);
  expect(await lateReads(transfer, (options) => readAll(model.predictStream([item(), item()], options)))).toEqual([]);
  await model.dispose();
});

it("sequences and their steps", async () => {
  const loadSequences = () => import("../../sequences/page/sequence-items.js");
  const sites = { site: hostSite(), share: null, loadSequences };
  const model = await createModelAt(sites, keepSource(generateModel("sequence-rows").bytes), {
    cache: false,
    executionProviders: ["wasm"],
    recurrent: { state: "stateN" },
  });
  const item = { x: new Float32Array(4) };
  const initial = { state: { data: [1, 2, 3, 4], dims: [4] } };
  const started = { initial, idleMs: 1e6, overflow: "drop-oldest", maxQueueSize: 4, snapshotEvery: 2 } as const;
  const late = await lateReads(started, (options) => {
    const sequence = model.sequence(options);
    const steps = [1, 2, 3].map(() => sequence.predict(item));
    sequence.reset();
    return Promise.all([...steps, sequence.predict(item)]);
  });
  expect(late).toEqual([]);
  const sequence = model.sequence();
  const first = sequence.predict(item);
  expect(await lateReads(REQUEST, (options) => sequence.predict(item, options))).toEqual([]);
  expect(await lateReads(REQUEST, (options) => readAll(sequence.predictStream([item, item], options)))).toEqual([]);
  await first;
  await model.dispose();
});

it("stages and runs of pipelines", async () => {
  const model = await createBatchedModel(new Uint8Array(1), { cache: false, executionProviders: ["wasm"] });
  const stage = { name: "a", inputs: { x: "x" }, toResult: (result: Outputs) => result };
  const late = await lateReads(stage, (options) => {
    const pipeline = createPipeline<Outputs>().stage(model, options);
    return pipeline.run({ x: { type: "float32", dims: [1], data: Float32Array.of(1) } });
  });
  expect(late).toEqual([]);
  const pipeline = createPipeline<number>().stage((value: number) => Promise.resolve(value));
  expect(await lateReads({ ...REQUEST, key: "k" }, (options) => pipeline.run(1, options))).toEqual([]);
  expect(await lateReads(REQUEST, (options) => readAll(pipeline.runStream([1, 2, 3], options)))).toEqual([]);
  await model.dispose();
});
