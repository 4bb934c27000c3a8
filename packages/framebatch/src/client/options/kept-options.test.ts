import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createBatchedModel } from "../api/packaged.js";
import { createModelHub } from "../api/packaged-hub.js";
import { createBatchedWorker } from "../api/packaged-worker.js";
import { createBatchedModelBeside, createBatchedWorkerHere } from "../../standalone.js";
import { BATCHER_OPTION_NAMES } from "@framebatch/batcher/options/batcher-checks.js";
import { createModelGroup } from "../api/packaged-group.js";
import { keepOptions } from "./kept-options.js";
import { GROUP_OPTIONS } from "./model-group.js";
import { MODEL_CHECKS } from "./model-options.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { ExternalDataFile, ModelOptions } from "./options.js";
import { channelSite } from "../../../test/support/channel-worker.js";
import { InferenceServer } from "../../../test/support/inference-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { ready, scripted } from "../../../test/support/scripted-plan.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));

afterEach(() => vi.unstubAllGlobals());

/** Stubs a browser whose workers answer each load at once. Returns the loads. */
function stubWorkers(): LoadRequest[] {
  const loaded: LoadRequest[] = [];
  const site = channelSite(() =>
    scripted({
      load: async (request) => {
        loaded.push(request);
        return ready("wasm");
      },
      run: () => new Promise(() => undefined),
    }),
  );
  stubBrowser();
  Object.assign(document, { baseURI: "https://page.example/" });
  vi.stubGlobal("Worker", function startWorker() {
    return Object.assign(site.start(), { [Symbol.toStringTag]: "Worker" });
  });
  vi.stubGlobal("self", { origin: "https://page.example" });
  return loaded;
}

const OPTIONS = { executionProviders: ["wasm"], cache: false } as const;

it.each([5, true, "wasm", null, ["wasm"], Object.create({ maxBatchSize: 4 })])(
  "leaves what is no plain object to the checks: %o",
  (options: object) => {
    expect(keepOptions(options)).toStrictEqual(options);
  },
);

it.each([5, "https://server.example", null])("leaves a server that is no object to the checks: %o", (remote) => {
  const kept = Reflect.apply(keepOptions, null, [{ samples: [], remote }]);
  expect(kept).toEqual({ samples: [], remote });
});

describe("options without a value are as those that are left out", () => {
  const names = [...Object.keys(MODEL_CHECKS), ...BATCHER_OPTION_NAMES, "group", "remote", "handlers"];
  const withoutValue = (...own: readonly string[]) =>
    Object.fromEntries(names.filter((name) => !own.includes(name)).map((name) => [name, undefined]));

  it.each([
    ["", createBatchedModel],
    [" of a page without a bundler", createBatchedModelBeside("https://page.example/framebatch.js")],
  ])("of a model%s", async (_of, create) => {
    stubWorkers();
    const model = await create(new Uint8Array(1), { ...withoutValue(), ...OPTIONS });
    await model.dispose();
    expect(model.state).toBe("disposed");
  });

  it("of a model with handlers, of one in a hub, and of one with a server", async () => {
    stubWorkers();
    const worker = () => Reflect.construct(Worker, []);
    const handled = await createBatchedModel(new Uint8Array(1), { ...withoutValue(), ...OPTIONS, worker });
    await handled.dispose();
    const hub = createModelHub(Object.fromEntries([["group", undefined]]));
    hub.register("a", new Uint8Array(1), { ...withoutValue(), ...OPTIONS });
    await hub.get("a");
    await hub.dispose();
    const server = await InferenceServer.start(DIGITS);
    onTestFinished(() => server.close());
    const remote = { url: server.url, model: "digits", mode: "only-in-cloud" } as const;
    const hybrid = await createBatchedModel("/digits.onnx", { ...withoutValue(), remote });
    await hybrid.dispose();
    expect(hybrid.state).toBe("disposed");
  });

  it("of a model of a group, and of a request", async () => {
    stubWorkers();
    const group = createModelGroup(withoutValue(...names.filter((name) => !GROUP_OPTIONS.some((own) => own === name))));
    const opening = createBatchedModel(new Uint8Array(1), { ...withoutValue(), group });
    await group.dispose();
    await expect(opening).rejects.toMatchObject({ code: "DISPOSED" });
    const model = await createBatchedModel(new Uint8Array(1), OPTIONS);
    const asked = Reflect.apply(model.predict.bind(model), null, [{}, { keepOnDevice: undefined, key: undefined }]);
    await model.dispose();
    await expect(asked).rejects.toMatchObject({ code: "DISPOSED" });
  });
});

// defect E19
describe("options that are documented as copied at the call", () => {
  it.each([
    ["", createBatchedModel],
    [" of a page without a bundler", createBatchedModelBeside("https://page.example/framebatch.js")],
  ])("are the samples of a model%s", async (_of, create) => {
    const loaded = stubWorkers();
    const sample = Float32Array.of(1, 2);
    const opening = create(new Uint8Array(1), { ...OPTIONS, samples: [{ x: sample }] });
    sample.fill(9);
    const model = await opening;
    await model.dispose();
    expect(loaded.map(({ samples }) => samples)).toEqual([[{ x: Float32Array.of(1, 2) }]]);
  });

  it.each([
    ["", createBatchedWorker],
    [" of a page without a bundler", createBatchedWorkerHere],
  ])("are the samples of an engine%s", async (_of, create) => {
    const loaded = stubWorkers();
    const sample = Float32Array.of(1, 2);
    const opening = create(() => Reflect.construct(Worker, []), { samples: [sample] });
    sample.fill(9);
    const worker = await opening;
    await worker.dispose();
    expect(loaded.map(({ samples }) => samples)).toEqual([[Float32Array.of(1, 2)]]);
  });

  it.each([
    ["", (file: ExternalDataFile) => [file]],
    [" of a provider", (file: ExternalDataFile) => ({ wasm: [file] })],
  ])("are the bytes of external files%s", async (_of, externalData) => {
    const loaded = stubWorkers();
    const weights = Uint8Array.of(1, 2);
    const given = { ...OPTIONS, externalData: externalData({ path: "weights.data", source: weights }) };
    const opening = createBatchedModel({ wasm: new Uint8Array(1) }, given);
    weights.fill(9);
    const model = await opening;
    await model.dispose();
    const location = loaded[0]!.externalData[0]!.location;
    const blob = "blob" in location ? location.blob : new Blob();
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(Uint8Array.of(1, 2));
  });

  it("are the samples of a model in a hub", async () => {
    const loaded = stubWorkers();
    const sample = Float32Array.of(1, 2);
    const hub = createModelHub();
    hub.register("a", new Uint8Array(1), { ...OPTIONS, samples: [{ x: sample }] } satisfies ModelOptions);
    sample.fill(9);
    await hub.get("a");
    await hub.dispose();
    expect(loaded.map(({ samples }) => samples)).toEqual([[{ x: Float32Array.of(1, 2) }]]);
  });

  it("are the headers of the server of a model", async () => {
    stubWorkers();
    const server = await InferenceServer.start(DIGITS);
    onTestFinished(() => server.close());
    const headers: Record<string, string> = { authorization: "Bearer one" };
    const remote = { url: server.url, model: "digits", mode: "only-in-cloud", headers } as const;
    const opening = createBatchedModel("/digits.onnx", { remote });
    headers["authorization"] = "Bearer two";
    const model = await opening;
    await model.predict(new Float32Array(784));
    await model.dispose();
    expect(new Set(server.received.map((received) => received.headers.authorization))).toEqual(new Set(["Bearer one"]));
  });
});
