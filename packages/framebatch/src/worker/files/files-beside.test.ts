import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { externalWeights, modelWithExternalWeights, WEIGHTS_PATH } from "@framebatch/models/external-weights";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { keepSource } from "../../client/options/model-source.js";
import type { ModelOptions } from "../../client/options/options.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { close, listen } from "../../../test/support/local-server.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { filesBeside } from "./files-beside.js";
import { LOAD_REQUEST } from "../../../test/support/scripted-plan.js";

const SIZE = { matrices: 2, width: 16 };
const MODEL = modelWithExternalWeights(SIZE);
const WEIGHTS = new Uint8Array(await new Blob([...externalWeights(SIZE)]).arrayBuffer());
const ITEM = { x: Array.from({ length: SIZE.width }, (_, index) => index) };

/** What the server has, by path. */
const files = new Map<string, Uint8Array>();
const asked: string[] = [];
const server = createServer(({ url = "" }, response) => {
  asked.push(url);
  const file = files.get(url);
  if (file === undefined) response.writeHead(404).end();
  else response.end(file);
});
let origin = "";

beforeAll(async () => void (origin = await listen(server)));
afterAll(() => close(server));
beforeEach(() => {
  stubBrowser();
  files.clear();
  files.set("/m/model.onnx", MODEL);
  asked.length = 0;
});
afterEach(() => void vi.unstubAllGlobals());

function open(source: string | Uint8Array<ArrayBuffer>, options: ModelOptions = {}, site = hostSite()) {
  return createModelAt({ site, share: null }, keepSource(source), {
    cache: false,
    executionProviders: ["wasm"],
    ...options,
  });
}

it("weights to which a model refers are fetched beside it, and stay the same for later workers", async () => {
  files.set(`/m/${WEIGHTS_PATH}`, WEIGHTS);
  await using given = await open(MODEL, { externalData: [{ path: WEIGHTS_PATH, source: WEIGHTS }] });
  const right = await given.predict(ITEM);
  const site = hostSite();
  await using model = await open(`${origin}/m/model.onnx`, {}, site);
  expect(await model.predict(ITEM)).toEqual(right);
  expect(asked).toEqual(["/m/model.onnx", `/m/${WEIGHTS_PATH}`]);
  files.set(
    `/m/${WEIGHTS_PATH}`,
    WEIGHTS.map((byte) => byte ^ 1),
  );
  await expect(model.restart()).rejects.toMatchObject({ code: "MODEL_INTEGRITY" });
  files.set(`/m/${WEIGHTS_PATH}`, WEIGHTS);
  await model.restart();
  expect(await model.predict(ITEM)).toEqual(right);
});

it("weights that are not beside the model are named, with the option", async () => {
  await expect(open(`${origin}/m/model.onnx`)).rejects.toMatchObject({
    code: "MODEL_STATUS",
    details: { externalData: WEIGHTS_PATH, status: 404 },
    message: expect.stringMatching(
      /^expected the file "weights\.data", .*404.*externalData: \[\{ path: "weights\.data", source: /,
    ),
  });
});

it("a path is named as the option takes it", () => {
  const location = { url: "https://example.com/m/model.onnx", pinned: null };
  const request = { ...LOAD_REQUEST, location, externalData: [], variants: [], providers: ["wasm"] as const };
  const find = () => filesBeside(request, ["sub\\weights.data"]);
  expect(find).toThrow('write externalData: [{ path: "sub\\\\weights.data", source: ADDRESS OR BYTES }]');
});

it("a model of bytes, and one whose digest is known, name the weights that are not given", async () => {
  const named = {
    code: "INVALID_OPTION",
    details: { externalData: WEIGHTS_PATH },
    message: expect.stringMatching(
      /^externalData: expected the file "weights\.data", .*path: "weights\.data", source: /,
    ),
  };
  await expect(open(MODEL)).rejects.toMatchObject(named);
  const integrity = `sha256-${createHash("sha256").update(MODEL).digest("base64")}`;
  await expect(open(`${origin}/m/model.onnx`, { integrity })).rejects.toMatchObject(named);
  expect(asked).toEqual(["/m/model.onnx"]);
});

it.each([
  ["model.data", "https://example.com/m/model.data"],
  ["./model.data", "https://example.com/m/model.data"],
  ["a b#?.data", "https://example.com/m/a%20b%23%3F.data"],
])("%s is looked for at %s", (path, url) => {
  const location = { url: "https://example.com/m/model.onnx?key=1", pinned: null };
  const request = { ...LOAD_REQUEST, location, externalData: [], variants: [], providers: ["wasm"] as const };
  expect(filesBeside(request, [path])).toEqual([{ path, location: { url, pinned: null }, integrity: null }]);
});

it.each(["a/model.data", "../model.data", "..", "/model.data", "https://example.org/x", "c:\\model.data"])(
  "%s is not fetched",
  (path) => {
    const location = { url: "https://example.com/m/model.onnx", pinned: null };
    const request = { ...LOAD_REQUEST, location, externalData: [], variants: [], providers: ["wasm"] as const };
    expect(() => filesBeside(request, [path])).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  },
);
