import { vi } from "vitest";
import { createModelAt } from "../../src/client/model/create-batched-model.js";
import { checkModelOptions, planChecks } from "../../src/client/options/model-options.js";
import { sharedResults } from "../../src/client/model/shared-results.js";
import { keepSource } from "../../src/client/options/model-source.js";
import { createHybridModelAt } from "../../src/servers/page/create-hybrid-model.js";
import type { HybridModelOptions } from "../../src/servers/page/hybrid-options.js";
import type { BatchedModel, HybridModel } from "../../src/client/options/model.js";
import type { ModelOptions } from "../../src/client/options/options.js";
import type { RemoteHost } from "@framebatch/remote/server/remote-server.js";
import { hostSite } from "./channel-worker.js";

/** Stubs the globals of a page and a worker that a model needs, optionally with a GPU adapter. */
export function stubBrowser({ hasGpu = false } = {}): void {
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false, visibilityState: "visible" }));
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
  vi.stubGlobal("isSecureContext", true);
  const gpu = { requestAdapter: async () => ({ info: { description: "GPU of a test" } }) };
  vi.stubGlobal("navigator", hasGpu ? { gpu } : {});
}

/** All code is here. */
const loadShared = () => Promise.resolve({ sharedResults });

/** Creates a model with page and worker halves on the real ONNX Runtime, in this thread. */
export async function modelInNode(
  bytes: Uint8Array<ArrayBuffer>,
  options: ModelOptions = {},
  site = hostSite(),
): Promise<BatchedModel> {
  checkModelOptions(options);
  return createModelAt({ site, share: null, loadShared, planChecks }, keepSource(bytes), { cache: false, ...options });
}

/** Creates a model on the same two halves and on a server. */
export function hybridInNode(
  bytes: Uint8Array<ArrayBuffer>,
  options: HybridModelOptions,
  host?: RemoteHost,
  site = hostSite(),
): Promise<HybridModel> {
  return createHybridModelAt({ site, share: null, loadShared }, keepSource(bytes), { cache: false, ...options }, host);
}
