import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createBatchedModel } from "../api/packaged.js";
import { createModelGroup } from "../api/packaged-group.js";
import { createModelHub } from "../api/packaged-hub.js";
import { createRemoteModel } from "../api/packaged-remote.js";
import { createBatchedModelBeside, createModelHubBeside, createRemoteModelHere } from "../../standalone.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { channelSite } from "../../../test/support/channel-worker.js";
import { groupSite } from "../../../test/support/group-site.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { ready, scripted } from "../../../test/support/scripted-plan.js";
import { keepOptions } from "./kept-options.js";

const HOME = "https://page.example/app/";
const SCRIPT = "https://page.example/sdk/framebatch.js";
const WORKER = { workerUrl: "sdk/framebatch.worker.js", wasmPaths: "ort/" };
const OPTIONS = { ...WORKER, executionProviders: ["wasm"], cache: false, warmup: false } as const;

/** Every address at which a worker is started, or that a worker is given. */
const addresses = new Set<string>();

beforeEach(() => useWorkers(channelSite(() => scripted({ load: async (request) => loaded(request), run: never }))));
afterEach(() => {
  addresses.clear();
  vi.unstubAllGlobals();
});

const never = () => new Promise<never>(() => undefined);

function useWorkers(site: { start(): object }): void {
  stubBrowser();
  Object.assign(document, { baseURI: HOME });
  vi.stubGlobal("Worker", function startWorker(address: unknown) {
    addresses.add(String(address));
    return Object.assign(site.start(), { [Symbol.toStringTag]: "Worker" });
  });
  vi.stubGlobal("self", { origin: new URL(HOME).origin });
}

function loaded({ location, externalData, runtimes }: LoadRequest) {
  for (const place of [location, ...externalData.map((file) => file.location)])
    if ("url" in place) addresses.add(place.url);
  addresses.add(runtimes.wasm.wasm);
  return ready("wasm");
}

/** What a router does between a call and the load. */
function leave(): void {
  Object.assign(document, { baseURI: "https://page.example/other/page/" });
}

/** Returns the addresses that do not mean what they meant at the call. */
function strays(): string[] {
  return [...addresses].filter((address) => !address.startsWith(HOME));
}

it.each([
  ["createBatchedModel", createBatchedModel],
  ["createBatchedModel of a page without a bundler", createBatchedModelBeside(SCRIPT)],
])("%s", async (_name, create) => {
  const externalData = [{ path: "weights.bin", source: "models/weights.bin" }];
  const opening = create("models/a.onnx", { ...OPTIONS, externalData });
  leave();
  await (await opening).dispose();
  expect(addresses.size).toBe(4);
  expect(strays()).toEqual([]);
});

it.each([
  ["register of a hub", createModelHub],
  ["register of a hub of a page without a bundler", createModelHubBeside(SCRIPT)],
])("%s", async (_name, create) => {
  const hub = create();
  hub.register("a", { wasm: "models/a.onnx" }, OPTIONS);
  leave();
  await hub.get("a");
  await hub.dispose();
  expect(addresses.size).toBe(3);
  expect(strays()).toEqual([]);
});

it("createModelGroup", async () => {
  const needs = { runtimeBytes: 1, modelBytes: {} };
  useWorkers(
    groupSite(needs, () => ({
      load: async (request) => {
        loaded(request);
        return null;
      },
      run: never,
    })),
  );
  const group = createModelGroup({ ...WORKER, executionProviders: ["wasm"] });
  leave();
  const opening = createBatchedModel("https://page.example/app/models/a.onnx", { group, cache: false });
  await (await opening).dispose();
  expect(addresses.size).toBe(3);
  expect(strays()).toEqual([]);
});

it.each([
  ["createRemoteModel", createRemoteModel],
  ["createRemoteModel of a page without a bundler", createRemoteModelHere],
])("%s", async (_name, create) => {
  vi.stubGlobal("fetch", async (address: unknown) => {
    addresses.add(String(address));
    return new Response(null, { status: 404 });
  });
  const opening = create("inference", { model: "a" });
  leave();
  await expect(opening).rejects.toMatchObject({ code: "REMOTE_STATUS" });
  expect(strays()).toEqual([]);
});

it("createBatchedModel with a server, whose address is not changed for the caller", () => {
  const remote = { url: new URL("https://page.example/app/inference"), model: "a" };
  const { remote: kept } = keepOptions({ remote });
  remote.url.pathname = "/other";
  expect(kept).toEqual({ url: "https://page.example/app/inference", model: "a" });
  const options = { remote: { url: "inference", model: "a" } };
  expect(keepOptions(options)).toEqual({ remote: { url: `${HOME}inference`, model: "a" } });
  expect(options.remote.url).toBe("inference");
});

it("leaves what is no address to the checks, and everything where there is no page", () => {
  const wrong = {
    workerUrl: 5,
    wasmPaths: ["https://[", null],
    externalData: [{ path: "a.bin", source: 1 }],
    remote: "x",
  };
  expect(keepOptions(wrong)).toEqual(wrong);
  vi.unstubAllGlobals();
  expect(keepOptions(WORKER)).toEqual(WORKER);
});
