import { expect, it, vi } from "vitest";
import type { LoadRequest } from "../../transport/protocol.js";
import { waysContext } from "./known-ways.js";
import { LOAD_REQUEST, MODEL_URL } from "../../../test/support/scripted-plan.js";

const location = { url: MODEL_URL, pinned: null };
const REQUEST: LoadRequest = {
  ...LOAD_REQUEST,
  location,
  externalData: [],
  variants: [],
  providers: ["webgpu", "wasm"],
};

it.each<[string, Partial<LoadRequest>]>([
  ["options of ONNX Runtime", { sessionOptions: { graphOptimizationLevel: "basic" } }],
  ["options of a provider", { providerOptions: { webgpu: { preferredLayout: "NCHW" } } }],
  ["tolerance between ways", { agreement: { relative: 0.1, absolute: 0 } }],
  ["files of providers", { variants: [{ provider: "wasm", location, externalData: [], integrity: null }] }],
])("what is known of ways is not used for other %s", async (_what, changes) => {
  vi.stubGlobal("navigator", { userAgent: "a browser", hardwareConcurrency: 4 });
  const known = await waysContext(REQUEST, null);
  expect(await waysContext({ ...REQUEST }, null)).toBe(known);
  expect(await waysContext({ ...REQUEST, ...changes }, null)).not.toBe(known);
  vi.unstubAllGlobals();
});
