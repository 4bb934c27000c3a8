import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { keepSource } from "../../client/options/model-source.js";
import { shareSessions } from "./share-sessions.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import {
  errorData,
  MODEL_URL,
  ready,
  scriptedSite,
  silence,
  type Script,
} from "../../../test/support/scripted-plan.js";

type Load = NonNullable<Script["loads"]>[number];

beforeEach(() => stubBrowser());

afterEach(() => vi.unstubAllGlobals());

const SPENT: Load = () => ({
  outcome: "spent",
  trials: [{ provider: "webgpu", chosen: false, reason: "no f16" }],
  location: { blob: new Blob([new ArrayBuffer(8)]), sha256: null },
  externalData: [],
  variants: [],
  fromCache: false,
  maxRows: null,
});

const DIES: Load = (_request, worker) => {
  worker.say({ notice: "progress", phase: "compile", provider: "webnn", loadedBytes: 1, totalBytes: 1 });
  worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
  return silence();
};

// defect E25
it("tries the third provider with the whole model after the worker of the second died, where tabs cannot share", async () => {
  const log: string[] = [];
  const site = scriptedSite({ loads: [SPENT, DIES, () => ready("wasm")] }, log);
  const options = { executionProviders: ["webgpu", "webnn", "wasm"], shared: true, cache: false } as const;
  const model = await createModelAt({ site, share: shareSessions }, keepSource(MODEL_URL), options);
  const { shared, providerTrials } = model.stats();
  expect(shared.isShared).toBe(false);
  expect(providerTrials.map(({ provider, reason }) => `${provider}: ${reason}`)).toEqual([
    "webgpu: no f16",
    "webnn: WORKER_CRASHED",
    "wasm: ",
  ]);
  expect(log).toEqual(["load webgpu,webnn,wasm url", "load webnn,wasm bytes", "load wasm url"]);
  await model.dispose();
});
