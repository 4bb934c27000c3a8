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

/** A picked file, which a browser no longer reads once it has changed on disk. */
class PickedFile extends Blob {
  hasChanged = false;

  override slice(start?: number, end?: number): Blob {
    if (this.hasChanged) throw new DOMException("The file could not be read", "NotReadableError");
    return super.slice(start, end);
  }
}

const open = (file: Blob) =>
  createModelAt({ site: hostSite(), share: null }, keepSource(file), { cache: false, executionProviders: ["wasm"] });

// defect E24
it("a picked file that has changed on disk fails a load and a restart with MODEL_INTEGRITY", async () => {
  const file = new PickedFile([doublingModel()]);
  const model = await open(file);
  file.hasChanged = true;
  const failure = { code: "MODEL_INTEGRITY", cause: { name: "NotReadableError" } };
  await expect(model.restart()).rejects.toMatchObject(failure);
  await expect(open(file)).rejects.toMatchObject(failure);
  file.hasChanged = false;
  await model.restart();
  const { y } = await model.predict({ x: Float32Array.of(3) });
  expect(y?.data[0]).toBe(6);
  await model.dispose();
});
