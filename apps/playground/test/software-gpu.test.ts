import { expect, test } from "vitest";
import { isSoftwareGpu } from "../src/shell/software-gpu.js";

test.each(["google swiftshader", "Mesa llvmpipe (LLVM 15)", "Microsoft Basic Render Driver"])(
  "%s runs on the CPU",
  (name) => {
    expect(isSoftwareGpu(name)).toBe(true);
  },
);

test.each([null, "nvidia ampere", "apple metal-3", "Intel gen-12lp"])("%s does not", (name) => {
  expect(isSoftwareGpu(name)).toBe(false);
});
