import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkModelOptions } from "./model-options.js";
import { PROVIDER_OPTIONS } from "./provider-options.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

function refusalOf(options: object): string {
  try {
    checkModelOptions(options);
  } catch (error) {
    if (error instanceof FramebatchError && error.code === "INVALID_OPTION") return error.message;
    throw error;
  }
  return "accepted";
}

describe("the option providerOptions", () => {
  it.each([
    {},
    { wasm: {} },
    { webgpu: { preferredLayout: "NCHW", forceCpuNodeNames: ["Conv_0"], validationMode: "full" } },
    { webgpu: { storageBufferCacheMode: "simple", uniformBufferCacheMode: "bucket" } },
    { webgpu: { preferredLayout: undefined, device: undefined }, webnn: undefined },
    { webnn: { deviceType: "npu", powerPreference: "low-power" } },
  ])("accepts %j", (providerOptions) => {
    expect(refusalOf({ providerOptions })).toBe("accepted");
  });

  it.each([
    ["webgpu", /^providerOptions: expected an object of options by provider, got string "webgpu"; write \{ webgpu/],
    [{ webgl: {} }, /^providerOptions\.webgl: expected an option that exists.*"webgpu", "webnn", "wasm"/],
    [{ webgpuu: {} }, /^providerOptions\.webgpuu: .*did you mean "webgpu"\?/],
    [{ webgpu: ["NHWC"] }, /^providerOptions\.webgpu: expected an object, got Array\(1\);/],
    [
      { webgpu: { preferedLayout: "NHWC" } },
      /^providerOptions\.webgpu\.preferedLayout: .*did you mean "preferredLayout"\?/,
    ],
    [
      { webgpu: { preferredLayout: "nhwc" } },
      /^providerOptions\.webgpu\.preferredLayout: expected "NCHW" or "NHWC", got string "nhwc"; leave it out for/,
    ],
    [
      { webgpu: { storageBufferCacheMode: "disabled" } },
      /^providerOptions\.webgpu\.storageBufferCacheMode: expected "lazyRelease", "simple" or "bucket", got string "disabled"/,
    ],
    [
      { webgpu: { forceCpuNodeNames: "Conv_0" } },
      /^providerOptions\.webgpu\.forceCpuNodeNames: expected a list of names of nodes, got string "Conv_0"/,
    ],
    [
      { webgpu: { forceCpuNodeNames: ["a\nb"] } },
      /^providerOptions\.webgpu\.forceCpuNodeNames: expected a list of names/,
    ],
    [
      { webgpu: { enableGraphCapture: true } },
      /^providerOptions\.webgpu\.enableGraphCapture: expected no value, got boolean true; remove it: a captured graph/,
    ],
    [{ webgpu: { device: {} } }, /device: expected no value, .* a GPU device cannot be sent to a worker$/],
    [{ webnn: { context: {} } }, /context: expected no value, .* cannot be sent to a worker$/],
    [{ wasm: { numThreads: 2 } }, /numThreads: expected no value, .* the model's own numThreads sets it$/],
  ])("rejects %j", (providerOptions, message) => {
    expect(refusalOf({ providerOptions })).toMatch(message);
  });

  it("is documented name by name and value by value", () => {
    const guide = readFileSync(new URL("../../../../../docs/options.md", import.meta.url), "utf8");
    const [, table = ""] = /### Options of the providers(.+?)\n##/s.exec(guide) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (.+?) +\|/gm)].map(([, provider, option, values]) => {
      const listed = [...(values ?? "").matchAll(/`"([\w-]+)"`/g)].map(([, value]) => value);
      return { provider, option, values: listed.length === 0 ? "names" : listed };
    });
    const known = Object.entries(PROVIDER_OPTIONS).flatMap(([provider, options]) =>
      Object.entries(options).map(([option, values]) => ({ provider, option, values })),
    );
    expect(rows.map((row) => JSON.stringify(row)).toSorted()).toEqual(
      known.map((row) => JSON.stringify(row)).toSorted(),
    );
  });
});

describe("sessionOptions", () => {
  it.each(["executionProviders", "enableGraphCapture", "preferredOutputLocation"])("cannot have %s", (name) => {
    expect(refusalOf({ sessionOptions: { [name]: "x" } })).toMatch(
      new RegExp(`^sessionOptions\\.${name}: expected no value, got string "x"; remove it: `),
    );
  });
});
