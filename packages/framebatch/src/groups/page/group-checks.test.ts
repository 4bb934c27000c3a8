import { describe, expect, it } from "vitest";
import { checkGroupOptions } from "./group-checks.js";

describe("the options of a group", () => {
  it("are accepted at their bounds", () => {
    expect(() => checkGroupOptions({ maxMemoryBytes: 2 ** 25, maxKeptBytes: 0, numThreads: 1 })).not.toThrow();
    expect(() => checkGroupOptions({ maxMemoryBytes: undefined })).not.toThrow();
  });

  it("are rejected beyond them", () => {
    for (const maxMemoryBytes of [2 ** 25 - 1, 3e8 + 0.5, NaN, "300e6", null])
      expect(() => checkGroupOptions({ maxMemoryBytes })).toThrow("maxMemoryBytes: expected");
    expect(() => checkGroupOptions({ maxKeptBytes: -1 })).toThrow("maxKeptBytes: expected");
    expect(() => checkGroupOptions({ memoryBytes: 2 ** 25 })).toThrow("memoryBytes: expected an option that exists");
  });
});
