import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRemoteModel } from "../../client/api/packaged-remote.js";
import type { Outputs, RemoteModel } from "../../client/options/model.js";
import type { RemoteModelOptions } from "./remote-model-options.js";
import { InferenceServer } from "../../../test/support/inference-server.js";
import { type JoinedTensor, joiningServer, rowsOf } from "../../../test/support/joining-server.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));

let server: InferenceServer;
/** The metadata of the server's own model. */
let digits: unknown;
const models: RemoteModel[] = [];

beforeAll(async () => {
  server = await InferenceServer.start(DIGITS);
  digits = server.metadata;
});
beforeEach(() => void (server.received.length = 0));
afterEach(async () => {
  for (const model of models.splice(0)) await model.dispose();
});
afterAll(() => server.close());

/** Opens a model whose items have the given dims, on a server that joins requests. */
async function open(
  dims: readonly number[],
  compute: (joined: JoinedTensor) => readonly number[],
  options: Partial<RemoteModelOptions> = {},
): Promise<RemoteModel> {
  server.metadata = {
    inputs: [{ name: "x", datatype: "FP32", shape: [-1, ...dims] }],
    outputs: [{ name: "y", datatype: "FP32", shape: [-1] }],
  };
  server.inference = joiningServer(compute);
  const model = await createRemoteModel(server.url, { model: "digits", maxBatchSize: 4, ...options });
  models.push(model);
  return model;
}

/** The sum of the first line of each row: another one if a row is read with other dims. */
function firstLines(joined: JoinedTensor): number[] {
  const width = joined.shape[2] ?? 0;
  return rowsOf(joined).map((row) => row.slice(0, width).reduce((sum, x) => sum + x, 0));
}

function sums(joined: JoinedTensor): number[] {
  return rowsOf(joined).map((row) => row.reduce((sum, x) => sum + x, 0));
}

describe("a server that joins requests without a look at their sizes", () => {
  it.each([1, 4])("answers items of several sizes right (instances: %d)", async (instances) => {
    const model = await open([-1, -1], firstLines, { instances });
    const sizes = [
      [2, 3],
      [3, 2],
      [2, 4],
    ] as const;
    const items = Array.from({ length: 24 }, (_, index) => ({ dims: sizes[index % 3]!, factor: index + 1 }));
    const answers = await Promise.all(
      items.map(({ dims, factor }) => {
        const data = Float32Array.from({ length: dims[0] * dims[1] }, (_, at) => (at + 1) * factor);
        return model.predict({ x: { data, dims } });
      }),
    );
    const expected = items.map(({ dims: [, width], factor }) => (factor * width * (width + 1)) / 2);
    expect(answers.map(({ y }) => y?.data[0])).toEqual(expected);
  });

  it("rejects a bad item alone, beside others in flight", async () => {
    const isBad = (row: readonly number[]) => row[0] === -1;
    const failing = (joined: JoinedTensor) => {
      if (rowsOf(joined).some(isBad)) throw new Error("bad item");
      return sums(joined);
    };
    const model = await open([2], failing, { instances: 4 });
    const items = Array.from({ length: 39 }, (_, index) => Float32Array.of(index % 13 === 5 ? -1 : index, 1));
    const outcomes = await Promise.allSettled(items.map((item) => model.predict(item)));
    const found = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value["y"]?.data[0] : outcome.reason.details.status,
    );
    expect(found).toEqual(items.map(([first = 0]) => (first === -1 ? 500 : first + 1)));
  });

  it("has outputs of the declared rank", async () => {
    const model = await open([2], sums);
    const { y } = await model.predict(Float32Array.of(1, 2));
    expect(y).toEqual({ type: "float32", dims: [], data: Float32Array.of(3) });
  });
});

describe("an answer in JSON with null in place of a number", () => {
  const logs = (joined: JoinedTensor) => rowsOf(joined).map(([x = 0]) => Math.log(x));

  it("rejects its item alone, and is not asked for again in binary once the server has sent JSON", async () => {
    const model = await open([1], logs, { batching: { release: "idle" } });
    const ask = () => Promise.allSettled([1, 0, 1].map((x) => model.predict(Float32Array.of(x))));
    const expected = [
      { value: { y: { data: Float32Array.of(0) } } },
      {
        reason: {
          code: "REMOTE_INVALID",
          message: expect.stringContaining('null in the output "y", which is NaN or an infinity; let the server'),
        },
      },
      { value: { y: { data: Float32Array.of(0) } } },
    ];
    expect(await ask()).toMatchObject(expected);
    const asked = server.inferences.map(({ body }) => String(body).includes("binary_data"));
    expect(asked.filter((isBinary) => isBinary)).toHaveLength(1);
    expect(await ask()).toMatchObject(expected);
    const all = server.inferences.filter(({ body }) => String(body).includes("binary_data"));
    expect(all).toHaveLength(1);
  });

  it("is asked for again in binary, once, where the server has the extension without naming it", async () => {
    server.metadata = digits;
    server.inference = null;
    const model = await createRemoteModel(server.url, { model: "digits", batching: { release: "idle" } });
    models.push(model);
    const bright = new Float32Array(784).fill(3e38);
    const isFinite = ({ logits }: Outputs) => Array.from<unknown>(logits?.data ?? []).every(Number.isFinite);
    const first = await model.predict({ image: bright });
    const second = await model.predict({ image: bright });
    expect([isFinite(first), second, model.stats().isBinary]).toEqual([false, first, false]);
    const asked = server.inferences.map(({ body }) => String(body).includes("binary_data_output"));
    expect(asked).toEqual([false, true, true]);
    const told = await createRemoteModel(server.url, { model: "digits", binary: false });
    models.push(told);
    await expect(told.predict({ image: bright })).rejects.toMatchObject({ code: "REMOTE_INVALID" });
    expect(server.inferences).toHaveLength(4);
  });

  it("is the number that the caller names", async () => {
    const model = await open([1], logs, { nullAs: -Infinity });
    const { y } = await model.predict(Float32Array.of(0));
    expect(y?.data).toEqual(Float32Array.of(-Infinity));
  });
});
