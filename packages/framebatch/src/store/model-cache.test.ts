import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deadline } from "@framebatch/host/deadline.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { until, withClock } from "@framebatch/host/test/settling.js";
import { pieceDigestOf } from "./digest.js";
import { ModelCache, type ModelFile } from "./model-cache.js";
import { ModelDatabase, manifestKey } from "./model-database.js";
import { stubIdb } from "../../test/support/fake-idb.js";

const URL = "https://example.com/model.onnx";

beforeEach(() => void vi.stubGlobal("navigator", {}));
afterEach(() => void vi.unstubAllGlobals());

const endless = () => new Deadline(2000, new ManualClock());

async function fileOf(text: string): Promise<ModelFile> {
  const blob = new Blob([text]);
  return { blob, sha256: await pieceDigestOf(blob), validator: null };
}

it("a tab with an old manifest leaves the newer model of another tab", async () => {
  const { bytes } = stubIdb();
  const [tab, other] = [new ModelCache(new ModelDatabase()), new ModelCache(new ModelDatabase())];
  const [first, second] = [await fileOf("first"), await fileOf("second")];
  await other.write(URL, first, endless());
  const known = (await tab.find(URL, endless()))!;
  await other.write(URL, second, endless());
  expect(await tab.read(URL, known, endless())).toBeNull();
  expect(await tab.find(URL, endless())).toMatchObject({ sha256: second.sha256 });
  expect(bytes!.get(URL)).toBe(second.blob);
});

it("a tab with an old manifest leaves the bytes of a model that another tab is storing", async () => {
  const { manifests, bytes } = stubIdb();
  const tab = new ModelCache(new ModelDatabase());
  await tab.write(URL, await fileOf("first"), endless());
  const known = (await tab.find(URL, endless()))!;
  const { blob } = await fileOf("second");
  manifests!.delete(manifestKey(URL));
  bytes!.set(URL, blob);
  expect(await tab.read(URL, known, endless())).toBeNull();
  expect(bytes!.get(URL)).toBe(blob);
});

it("a damaged model is removed with its facts", async () => {
  const { manifests, bytes } = stubIdb();
  const cache = new ModelCache(new ModelDatabase());
  const file = await fileOf("first");
  await cache.write(URL, file, endless());
  manifests!.set(`facts ${file.sha256} context`, {});
  bytes!.set(URL, new Blob(["other"]));
  const known = (await cache.find(URL, endless()))!;
  expect(await cache.read(URL, known, endless())).toBeNull();
  expect([...manifests!.keys(), ...bytes!.keys()]).toEqual([]);
});

it("bytes are stored where the browser refuses a Blob", async () => {
  const { bytes } = stubIdb(undefined, (connection) => (connection.refusesBlobs = true));
  const cache = new ModelCache(new ModelDatabase());
  const file = await fileOf("model");
  expect(await cache.write(URL, file, endless())).toBe(file.sha256);
  expect(bytes!.get(URL)).toEqual(await file.blob.arrayBuffer());
});

it("a write that takes too long is not repeated, and reads no model into memory", async () => {
  stubIdb();
  const bytes = vi.fn(() => new Promise<never>(() => undefined));
  const cache = new ModelCache(Object.assign(new ModelDatabase(), { bytes }));
  const file = await fileOf("model");
  const read = vi.spyOn(file.blob, "arrayBuffer");
  const clock = new ManualClock();
  const written = cache.write(URL, file, new Deadline(2000, clock)).then(String, String);
  await until(() => bytes.mock.calls.length > 0);
  expect(await withClock(clock, 100, written)).toContain("IndexedDB did not answer");
  expect([bytes.mock.calls.length, read.mock.calls.length]).toEqual([1, 0]);
});
