import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "@framebatch/host/test/settling.js";
import { ModelDatabase } from "../../store/model-database.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { FileServer } from "../../../test/support/file-server.js";
import { type ModelFiles, obtainFiles } from "./model-files.js";

const MODEL = "/model.onnx";
const WEIGHTS = "/weights.data";

let server: FileServer;

beforeEach(async () => {
  server = await FileServer.start({ [MODEL]: Buffer.from("a new model"), [WEIGHTS]: Buffer.from("new weights") });
});
afterEach(() => server.close());

/** Loads files in a tab of its own. */
function load(paths: readonly string[], say: (notice: WorkerNotice) => void = () => undefined): Promise<ModelFiles> {
  return obtainFiles(server.request(...paths), new ModelDatabase(), true, say);
}

async function loadAndKeep(...paths: readonly string[]): Promise<ModelFiles> {
  const files = await load(paths);
  await files.keep();
  return files;
}

describe("a load that fails because of one file", () => {
  it("releases the lock of another that has arrived", async () => {
    let gotBytes = 0;
    const loading = load([MODEL, "/missing.data"], (notice) => {
      if (notice.notice === "progress") gotBytes = notice.loadedBytes;
    });
    const failed = expect(loading).rejects.toMatchObject({ code: "MODEL_STATUS" });
    const [model, missing] = await server.gets(MODEL, "/missing.data");
    server.answer(model!);
    await until(() => gotBytes === server.bodies[MODEL]!.length);
    server.answer(missing!);
    await failed;
    await server.holds();
  });

  it("releases the lock of another that arrives later, and does not wait for it", async () => {
    const loading = load([MODEL, "/missing.data"]);
    const [model, missing] = await server.gets(MODEL, "/missing.data");
    server.answer(missing!);
    await expect(loading).rejects.toMatchObject({ code: "MODEL_STATUS" });
    await server.holds(MODEL);
    server.answer(model!);
    await server.holds();
  });
});

describe("two tabs", () => {
  it("download a model once, of which the second takes every file from the cache", async () => {
    const first = loadAndKeep(MODEL, WEIGHTS);
    const asked = await server.gets(MODEL, WEIGHTS);
    const second = loadAndKeep(MODEL, WEIGHTS);
    for (const request of asked) server.answer(request);
    expect([(await first).fromCache, (await second).fromCache]).toEqual([false, true]);
    expect(server.asked).toHaveLength(2);
    await server.holds();
  });

  it("that load a new version at the same moment do not wait for each other, whatever the server answers first", async () => {
    for (const path of [MODEL, WEIGHTS]) await server.store(path);
    const first = loadAndKeep(MODEL, WEIGHTS);
    const [model, weights] = await server.gets(MODEL, WEIGHTS);
    const second = loadAndKeep(MODEL, WEIGHTS);
    const [otherModel, otherWeights] = await server.gets(MODEL, WEIGHTS);
    server.answer(model!);
    await server.holds(MODEL);
    server.answer(otherWeights!);
    await server.holds(MODEL, WEIGHTS);
    server.answer(weights!);
    server.answer(otherModel!);
    for (const files of [await first, await second])
      expect(await files.externalData[0]?.data.text()).toBe("new weights");
    // A tab that has waited in vain asks again.
    expect(server.asked).toHaveLength(4);
    await server.holds();
  });

  it("leave no answer unread: the one that waits drops its connection", async () => {
    await server.store(MODEL);
    const first = loadAndKeep(MODEL);
    const [read] = await server.gets(MODEL);
    server.begin(read!);
    await server.holds(MODEL);
    const second = loadAndKeep(MODEL);
    const [unread] = await server.gets(MODEL);
    server.begin(unread!);
    await until(() => unread!.response.closed);
    server.end(read!);
    expect([(await first).fromCache, (await second).fromCache]).toEqual([false, true]);
    expect(server.asked).toHaveLength(2);
  });
});
