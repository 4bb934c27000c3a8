import { afterEach, expect, it, vi } from "vitest";
import { planLoad, type WorkerSites } from "./load-plan.js";
import { keepSource, type ModelSource } from "../options/model-source.js";
import type { ModelOptions } from "../options/options.js";
import type { ProgressNotice } from "../../transport/protocol.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

afterEach(() => void vi.unstubAllGlobals());

it("a load tells when its files are there: another way needs no second download", () => {
  const onArrived = vi.fn();
  const listener = { onWarning: () => undefined, onTimed: () => undefined, onArrived };
  const sites = { site: hostSite(), served: null, share: null };
  const { onProgress, clock } = planLoad(keepSource(new Uint8Array(1)), {}, 1, sites, listener);
  const say = (phase: ProgressNotice["phase"]) =>
    onProgress({ notice: "progress", provider: "wasm", phase, loadedBytes: 1, totalBytes: 1 });
  say("download");
  say("runtime");
  expect(onArrived).not.toHaveBeenCalled();
  say("compile");
  expect(onArrived).toHaveBeenCalledOnce();
  clock.close();
});

const BYTES = new Uint8Array(1);
const SHARING = { siteFor: async () => null, stats: () => ({ isShared: false, reason: null, tabs: 0 }) };

interface Scene {
  readonly when: string;
  readonly source?: ModelSource;
  readonly options?: ModelOptions;
  readonly sites?: Partial<WorkerSites>;
  readonly comparesWays: boolean;
}

const SCENES: readonly Scene[] = [
  { when: "by default", comparesWays: true },
  { when: "not of a model given as bytes: its outcome is kept nowhere", source: BYTES, comparesWays: false },
  { when: "not without a cache", options: { cache: false }, comparesWays: false },
  { when: "not with handlers", sites: { served: hostSite() }, comparesWays: false },
  { when: "not in a group", sites: { join: (site) => site }, comparesWays: false },
  { when: "not in a worker of several tabs", sites: { share: () => SHARING }, comparesWays: false },
];

it.each(SCENES)("a load tells its worker whether the ways to run are compared: $when", (scene) => {
  stubBrowser();
  const { source = "https://example.com/model.onnx", options = {}, sites = {}, comparesWays } = scene;
  const loadWays = () => import("../../ways/page/way-comparison.js");
  const ignore = () => undefined;
  const listener = { onWarning: ignore, onTimed: ignore, onArrived: ignore };
  const all = { site: hostSite(), served: null, share: null, loadWays, ...sites };
  const { request, clock } = planLoad(keepSource(source), options, 1, all, listener);
  expect(request.comparesWays).toBe(comparesWays);
  clock.close();
});

it.each([
  ["https://example.com/sdk/framebatch.worker.js", "https://example.com/sdk/framebatch.ort.wasm.js"],
  ["blob:https://example.com/0b1c", "https://example.com/ort/wasm.js"],
  ["data:text/javascript,", "https://example.com/ort/wasm.js"],
])("ONNX Runtime is beside the script %s, or where this build has it if that has no folder", (workerUrl, script) => {
  stubBrowser();
  vi.stubGlobal("document", { baseURI: "https://example.com/" });
  vi.stubGlobal("self", { origin: "https://example.com" });
  const files = { script: "https://example.com/ort/wasm.js", wasm: "https://example.com/ort/ort.wasm" };
  const site = { ...hostSite(), runtimes: { jspi: files, webgpu: files, wasm: files } };
  const ignore = () => undefined;
  const listener = { onWarning: ignore, onTimed: ignore, onArrived: ignore };
  const { request, clock } = planLoad(
    keepSource(BYTES),
    { workerUrl },
    1,
    { site, served: null, share: null },
    listener,
  );
  expect(request.runtimes.wasm.script).toBe(script);
  clock.close();
});
