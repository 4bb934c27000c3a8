import { expect, it } from "vitest";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { failedReply } from "../host/replies.js";
import type { FeedsReply, InTurn, Serve } from "./feeds-reply.js";
import { LoneSizes } from "./lone-sizes.js";

const SEQ: TensorInfo = { name: "seq", type: "float32", dims: [null, null], symbols: ["batch", "seq"], batchAxis: 0 };
const EVEN = planPadding({ inputs: [SEQ], outputs: [], fixedBatch: null }, { seq: { multipleOf: 2 } });
const RAN: FeedsReply = { ok: true, outputs: {}, inferenceMs: 1 };

const SERVE: Serve = (turn) => turn(() => Promise.resolve(RAN));

/** The sizes at which rows of these sizes run, on a model that fails as told. */
function ranAt(failureOf: (size: number) => ErrorCode | "fatal" | null) {
  const sizes = new LoneSizes(EVEN);
  return async (size: number) => {
    const ran: number[] = [];
    let turns = 0;
    const inTurn: InTurn = (task) => {
      turns += 1;
      return task(SERVE);
    };
    const { extents, reply } = await sizes.run([size], inTurn, async ([at = 0], serve) => {
      ran.push(at);
      await serve((run) => run({}));
      const code = failureOf(at);
      if (code === null) return { reply: RAN };
      const error = new FramebatchError(code === "fatal" ? "INFERENCE_FAILED" : code, "");
      return { reply: failedReply(error, code === "fatal") };
    });
    return { ran, turns, extents, ok: reply.ok };
  };
}

it("keeps sizes that the model runs", async () => {
  const run = ranAt(() => null);
  expect(await run(3)).toEqual({ ran: [3], turns: 1, extents: [3], ok: true });
});

it("rounds sizes that the model rejects in the same turn, and then does not try these again", async () => {
  const run = ranAt((size) => (size % 2 === 1 ? "INFERENCE_FAILED" : null));
  expect(await run(3)).toEqual({ ran: [3, 4], turns: 1, extents: [4], ok: true });
  expect(await run(3)).toEqual({ ran: [4], turns: 1, extents: [4], ok: true });
  expect(await run(5)).toEqual({ ran: [5, 6], turns: 1, extents: [6], ok: true });
});

it("does not take an item that fails at any size for one of a size that the model rejects", async () => {
  let fails = true;
  const run = ranAt(() => (fails ? "INFERENCE_FAILED" : null));
  expect(await run(3)).toEqual({ ran: [3, 4], turns: 1, extents: [4], ok: false });
  fails = false;
  expect(await run(3)).toEqual({ ran: [3], turns: 1, extents: [3], ok: true });
});

it("does not repeat a run that failed at a rounded size, for want of memory, or with its worker", async () => {
  expect(await ranAt(() => "INFERENCE_FAILED")(4)).toMatchObject({ ran: [4], ok: false });
  expect(await ranAt(() => "OUT_OF_MEMORY")(3)).toMatchObject({ ran: [3], ok: false });
  expect(await ranAt(() => "fatal")(3)).toMatchObject({ ran: [3], ok: false });
});
