import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { keepSource } from "../../client/options/model-source.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { close, listen } from "../../../test/support/local-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

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
