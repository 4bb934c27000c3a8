import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { keepSource } from "../../client/options/model-source.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { close, listen } from "../../../test/support/local-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { ArrivingSize } from "./started-load.js";

afterEach(() => void vi.unstubAllGlobals());

it("downloads the model while the browser looks for a GPU", async () => {
  stubBrowser();
  const server = createServer((_request, response) => void response.end(generateModel("mlp-small").bytes));
  const asked = once(server, "request");
  const origin = await listen(server);
  // The browser finds no adapter, once the server has been asked for the model.
  vi.stubGlobal("navigator", { gpu: { requestAdapter: () => asked.then(() => null) } });
  const source = keepSource(`${origin}/model.onnx`);
  await using model = await createModelAt({ site: hostSite(), share: null }, source, { cache: false, warmup: false });
  expect(model.executionProvider).toBe("wasm");
  await close(server);
});

const LEAST = 1000;

function arriving() {
  const heard: number[] = [];
  const size = new ArrivingSize(LEAST, (notice) => {
    if (notice.notice === "progress") heard.push(notice.loadedBytes);
  });
  const arrive = (loadedBytes: number, totalBytes: number | null) =>
    size.hear({ notice: "progress", phase: "download", provider: null, loadedBytes, totalBytes });
  return { size, arrive, heard };
}

/** Returns what is known by now. */
async function known({ isLarge }: ArrivingSize): Promise<boolean | null | "unknown"> {
  return Promise.race([isLarge, Promise.resolve("unknown" as const)]);
}

it("the length that a server tells is enough for a large file", async () => {
  const { size, arrive, heard } = arriving();
  arrive(0, null);
  expect(await known(size)).toBe("unknown");
  arrive(1, LEAST);
  expect(await known(size)).toBe(true);
  expect(heard).toEqual([0, 1]);
});

it("a small file may refer to large ones, so that it is read first", async () => {
  const { size, arrive } = arriving();
  arrive(1, LEAST - 1);
  expect(await known(size)).toBe("unknown");
  size.read(false);
  expect(await known(size)).toBe(false);
});

it.each([
  [LEAST - 2, false],
  [LEAST, true],
])("files that are found beside the model count: %i bytes", async (bytes, isLarge) => {
  const { size, arrive } = arriving();
  arrive(1, 1);
  size.read(true);
  arrive(1, null);
  expect(await known(size)).toBe("unknown");
  arrive(1, 1 + bytes);
  expect(await known(size)).toBe(isLarge);
});

it("a file of unknown length is large as soon as so many bytes have arrived", async () => {
  const { size, arrive } = arriving();
  arrive(LEAST - 1, null);
  expect(await known(size)).toBe("unknown");
  arrive(LEAST, null);
  expect(await known(size)).toBe(true);
});

it("the end of a download of unknown length tells its size", async () => {
  const { size } = arriving();
  const files = Promise.resolve({ totalBytes: LEAST });
  size.endsWith(files);
  await files;
  expect(await size.isLarge).toBe(true);
});

it("a download that fails, or that waits for the way to run, keeps nobody waiting", async () => {
  const failed = arriving().size;
  failed.endsWith(Promise.reject(new Error("offline")));
  expect(await failed.isLarge).toBeNull();
  const { size } = arriving();
  size.endsWith(null);
  expect(await size.isLarge).toBeNull();
});
