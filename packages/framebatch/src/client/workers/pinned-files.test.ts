import { beforeEach, expect, it, vi } from "vitest";
import { createModelAt } from "../model/create-batched-model.js";
import { keepSource } from "../options/model-source.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

beforeEach(() => {
  stubBrowser();
  return () => vi.unstubAllGlobals();
});

const open = (file: Blob) =>
  createModelAt({ site: hostSite(), share: null }, keepSource(file), { cache: false, executionProviders: ["wasm"] });

// defect E24
it.each(["slice", "arrayBuffer"] as const)(
  "a picked file that has changed on disk, as its %s tells, fails a load and a restart with MODEL_INTEGRITY",
  async (method) => {
    const file = new Blob([doublingModel()]);
    const model = await open(file);
    const change = vi.spyOn(Blob.prototype, method).mockImplementation(() => {
      throw new DOMException("The file could not be read", "NotReadableError");
    });
    const failure = { code: "MODEL_INTEGRITY", cause: { name: "NotReadableError" } };
    await expect(model.restart()).rejects.toMatchObject(failure);
    await expect(open(file)).rejects.toMatchObject(failure);
    change.mockRestore();
    await model.restart();
    const { y } = await model.predict({ x: Float32Array.of(3) });
    expect(y?.data[0]).toBe(6);
    await model.dispose();
  },
);
