import { describe, expect, it } from "vitest";
import { checkModelOptions } from "./model-options.js";
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
    [{ webgpu: { device: () => undefined } }, /^providerOptions\.webgpu: expected plain data/],
  ])("rejects %j", (providerOptions, message) => {
    expect(refusalOf({ providerOptions })).toMatch(message);
  });

  it("leaves the options of a provider to ONNX Runtime", () => {
    expect(refusalOf({ providerOptions: { webgpu: { preferedLayout: "nhwc" } } })).toBe("accepted");
  });
});

describe("sessionOptions", () => {
  it.each(["executionProviders", "enableGraphCapture", "preferredOutputLocation"])("cannot have %s", (name) => {
    expect(refusalOf({ sessionOptions: { [name]: "x" } })).toMatch(
      new RegExp(`^sessionOptions\\.${name}: expected no value, got string "x"; remove it: `),
    );
  });
});
