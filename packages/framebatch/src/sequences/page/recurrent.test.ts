import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

const ROWS = { recurrent: { state: "stateN" } } as const;

beforeAll(() => stubBrowser());

function open(name: string, options: object) {
  return modelInNode(generateModel(name).bytes, { executionProviders: ["wasm"], ...options });
}

async function refusalOf(opened: Promise<unknown>): Promise<string> {
  const error = await opened.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof FramebatchError ? `${error.code} ${error.message}` : "none";
}

describe("the option recurrent", () => {
  it("keeps states out of items and outputs, and starts each request from zeros", async () => {
    await using model = await open("sequence-rows", ROWS);
    expect(model.inputs.map(({ name }) => name)).toEqual(["x"]);
    expect(model.outputs.map(({ name }) => name)).toEqual(["y"]);
    const items = [
      [1, 2, 3, 4],
      [200, 100, 50, 25],
      [1, 2, 3, 4],
    ].map((x) => Float32Array.from(x));
    const answers = await model.predictMany(items.map((x) => ({ x })));
    const session = await ort.InferenceSession.create(generateModel("sequence-rows").bytes);
    for (const [index, x] of items.entries()) {
      const state = new ort.Tensor("float32", new Float32Array(4), [1, 4]);
      const { y } = await session.run({ x: new ort.Tensor("float32", x, [1, 4]), state });
      expect(Object.keys(answers[index]!)).toEqual(["y"]);
      expect(answers[index]!["y"]!.data).toEqual(y!.data);
    }
    expect(model.stats().batchCheck).toMatchObject({ outcome: "passed" });
    await session.release();
  });

  it("takes a bare tensor if the states are the only other inputs, and samples without states", async () => {
    await using model = await open("sequence-layers", { ...ROWS, samples: [{ x: [1, 2, 3, 4] }, { x: [9, 8, 7, 6] }] });
    const { y } = await model.predict([1, 2, 3, 4]);
    expect(y!.dims).toEqual([4]);
    expect(model.stats().batchCheck.outcome).toBe("passed");
  });

  it("has two states, of which one has no name of its batch", async () => {
    const options = { recurrent: { state: "stateN", length: "lengthN" }, batchAxis: { state: 1, stateN: 1 } };
    await using model = await open("sequence-two-states", options);
    expect([...model.inputs, ...model.outputs].map(({ name }) => name)).toEqual(["x", "y"]);
    const answers = await model.predictMany([{ x: [0, 0, 0, 0] }, { x: [5, 5, 5, 5] }]);
    expect(answers.map(({ y }) => y!.data)).toEqual([Float32Array.of(1, 1, 1, 1), Float32Array.of(6, 6, 6, 6)]);
  });

  it.each([
    [{ other: "stateN" }, 'recurrent["other"]: expected an input of the model ("x", "state"), got "other"'],
    [{ state: "stateM" }, 'got "stateM"; did you mean "stateN"?'],
    [{ state: "stateN", x: "stateN" }, 'recurrent["x"]: expected an output for this state alone, got "stateN"'],
    [{ state: "stateN", x: "y" }, "recurrent: expected at least one input that items have, got states alone"],
  ])("refuses %o", async (recurrent, message) => {
    expect(await refusalOf(open("sequence-rows", { recurrent }))).toContain(message);
  });

  it.each([
    ["sequence-two-states", { length: "stateN" }, 'expected an output of type int64, got "stateN" of type float32'],
    ["sequence-two-states", { state: "y" }, 'expected an output with dims [2, 4] for a row, got "y" with [4]'],
    ["recurrent", { input: "output" }, "expected a state of fixed size beside its batch axis, got dims [?, ?]"],
    ["recurrent", { sr: "output" }, '"sr" with a batch axis, got dims [] without one'],
  ])("refuses in %s the states %o", async (name, recurrent, message) => {
    const batchAxis = name === "recurrent" ? {} : { state: 1, stateN: 1 };
    expect(await refusalOf(open(name, { recurrent, batchAxis }))).toContain(message);
  });

  it.each([
    [{ recurrent: {} }, "recurrent: expected an object with the output of each state by input name"],
    [{ recurrent: { state: 1 } }, 'recurrent["state"]: expected the name of an output, got number 1'],
    [{ ...ROWS, dedupe: true }, "dedupe: expected no value, because recurrent is set"],
    [{ ...ROWS, resultCacheSize: 5 }, "resultCacheSize: expected no value, because recurrent is set"],
    [{ ...ROWS, instances: 2 }, "instances: expected no value, because recurrent is set"],
    [{ ...ROWS, shared: true }, "shared: expected no value, because recurrent is set"],
  ])("refuses the options %o", async (options: object, message) => {
    expect(await refusalOf(open("sequence-rows", options))).toContain(message);
  });
});
