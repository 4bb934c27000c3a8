import { expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { planStates } from "@framebatch/rows/model/recurrence.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { RowsRequest } from "../../transport/protocol.js";
import type { SentStep } from "../../sequences/sequence-messages.js";
import { KeptRows } from "../../kept/worker/kept-rows.js";
import type { FeedsReply, InTurn, Serve } from "../session/feeds-reply.js";
import { LoneSizes } from "../session/lone-sizes.js";
import { failedReply } from "./replies.js";
import { StatedRowRuns } from "./row-runs.js";

const info = (name: string, dims: TensorInfo["dims"], batchAxis: number): TensorInfo => {
  return { name, type: "float32", dims, symbols: dims.map(() => null), batchAxis };
};
const SIGNATURE = {
  inputs: [info("x", [null], 0), info("state", [2, null], 1)],
  outputs: [info("y", [null], 0), info("stateN", [2, null], 1)],
  fixedBatch: null,
};

const inTurn = (serve: Serve): InTurn => {
  return (task) => task(serve);
};

/** Runs of a model that adds the item to its state, on WASM. The answer is the first element of the state before. */
function runs() {
  const states = planStates(SIGNATURE, { state: "stateN" });
  const padding = planPadding(SIGNATURE);
  const collator = new Collator(SIGNATURE, padding);
  const kept = { kept: new KeptRows(Infinity), memory: null, mayStay: () => true };
  const model = new StatedRowRuns(SIGNATURE, states, collator, new LoneSizes(padding), kept);
  const serve: Serve = (turn) =>
    turn(async ({ x, state }): Promise<FeedsReply> => {
      const rows = x!.data.length;
      const before = Array.from({ length: 2 * rows }, (_, at) => Number(state!.data[at]));
      const y = Float32Array.from(before.slice(0, rows));
      const next = Float32Array.from(before, (value, at) => value + Number(x!.data[at % rows]));
      const tensor = (dims: readonly number[], data: Float32Array) => ({ type: "float32", dims, data }) as const;
      return { ok: true, outputs: { y: tensor([rows], y), stateN: tensor([2, rows], next) }, inferenceMs: 1 };
    });
  return async (items: readonly number[], steps: RowsRequest["steps"]) => {
    const rows = { count: items.length, sizes: [], columns: [Float32Array.from(items)] };
    const request = { rows, paddedSize: items.length, extents: [], ...(steps && { steps }) };
    return (await model.run(request, inTurn(serve))).reply;
  };
}

/** Runs of a model that counts the steps of a sequence, and rejects items of an odd length. */
function evenRuns() {
  const inputs = [info("x", [null, null], 0), info("state", [null, 1], 0)];
  const signature = { inputs, outputs: [info("y", [null, 1], 0), info("stateN", [null, 1], 0)], fixedBatch: null };
  const states = planStates(signature, { state: "stateN" });
  const padding = planPadding(signature, { x: { multipleOf: 2 } });
  const kept = { kept: new KeptRows(Infinity), memory: null, mayStay: () => true };
  const model = new StatedRowRuns(signature, states, new Collator(signature, padding), new LoneSizes(padding), kept);
  const serve: Serve = (turn) =>
    turn(async ({ x, state }): Promise<FeedsReply> => {
      if (x!.data.length % 2 === 1) return failedReply(new FramebatchError("INFERENCE_FAILED", "odd"), false);
      const next = Float32Array.of(Number(state!.data[0]) + 1);
      const tensor = { type: "float32", dims: [1, 1], data: next } as const;
      return { ok: true, outputs: { y: tensor, stateN: { ...tensor, data: next.slice() } }, inferenceMs: 1 };
    });
  return async (length: number, step: SentStep) => {
    const rows = { count: 1, sizes: [length], columns: [new Float32Array(length)] };
    return (await model.run({ rows, paddedSize: 1, extents: [length], steps: [step] }, inTurn(serve))).reply;
  };
}

it("a step whose own size the model rejects runs at the rounded size, from the same state", async () => {
  const run = evenRuns();
  for (const [at, length] of [3, 3, 4, 5].entries()) {
    const reply = await run(length, sent(1, at + 1, false, at === 0 ? 0 : undefined));
    expect(reply).toMatchObject({ ok: true, outputs: { y: { data: Float32Array.of(at + 1) } } });
  }
});

function sent(sequence: number, step: number, returns = false, from?: number): SentStep {
  const state = from === undefined ? {} : { from: { tensors: [Float32Array.of(from, from)] } };
  return { sequence, step, returns, ...state };
}

it("states are no output, and are returned where a step asks for it", async () => {
  const run = runs();
  expect(await run([1, 2, 4], [sent(1, 1, true, 0), null, sent(2, 1, false, 7)])).toEqual({
    ok: true,
    inferenceMs: 1,
    outputs: { y: { type: "float32", dims: [3], data: Float32Array.of(0, 0, 7) } },
    states: [{ tensors: [Float32Array.of(1, 1)] }, null, null],
  });
});

it("each row starts from its own state, whoever shares its batch", async () => {
  const run = runs();
  await run([1, 2], [sent(1, 1, false, 0), sent(2, 1, false, 0)]);
  expect(await run([10, 20], [sent(2, 2, true), sent(1, 2, true)])).toMatchObject({
    outputs: { y: { data: Float32Array.of(2, 1) } },
    states: [{ tensors: [Float32Array.of(12, 12)] }, { tensors: [Float32Array.of(21, 21)] }],
  });
});

it("requests without a sequence start from zeros and return no state", async () => {
  const run = runs();
  expect(await run([5], undefined)).toEqual({
    ok: true,
    inferenceMs: 1,
    outputs: { y: { type: "float32", dims: [1], data: Float32Array.of(0) } },
  });
});
