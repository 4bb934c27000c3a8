import { expect, it } from "vitest";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { RunResult } from "../../client/workers/pending-runs.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { PageNotice, RowsRequest } from "../../transport/protocol.js";
import type { ItemsRequest } from "../../handlers/handler-messages.js";
import { KeptState, type StateClient } from "./kept-state.js";
import { ROW_STEPS, rowSteps } from "./sequence-items.js";
import { StepBatches } from "./step-batches.js";

const X: TensorInfo = { name: "x", type: "float32", dims: [null, 1], symbols: ["batch", null], batchAxis: 0 };
const SIGNATURE = { inputs: [X], outputs: [], fixedBatch: null };
/** Rows of more than 4 MiB, which are copied in tasks before a batch is sent. */
const LARGE = 2 ** 21;
const LARGE_SIGNATURE = { ...SIGNATURE, inputs: [{ ...X, dims: [null, LARGE] }] };
const RUN = { timeoutMs: 1000, isDivided: false };

/** A worker that notes what it gets. */
function workerThat(run: () => ReturnType<StateClient["run"]>) {
  const [sent, told]: [(RowsRequest | ItemsRequest)[], PageNotice[]] = [[], []];
  const client: StateClient = {
    run(request) {
      if ("texts" in request) throw new RangeError("expected steps of sequences, got texts");
      sent.push(request);
      return run();
    },
    notify: (notice) => void told.push(notice),
    hasEnded: false,
  };
  return { client, sent, told };
}

function twoSteps() {
  const reader = InputReader.for(SIGNATURE, planPadding(SIGNATURE));
  const states = [1, 2].map((id) => new KeptState(id, { tensors: [Float32Array.of(0)] }, 1, ROW_STEPS));
  const items = states.map((state, index) => state.next(reader.admit([index])));
  const batch = {
    id: 1,
    items,
    paddedSize: 2,
    extents: [],
    isAlone: false,
    reason: "idle",
    predictedMs: null,
  } as const;
  return { states, items, prepared: new StepBatches(rowSteps(reader, 1)).prepare(batch) };
}

/** Notes a step that a worker has answered, without a copy of the state. */
function advanceOnce(state: KeptState<PreparedItem>, row: PreparedItem, client: StateClient): void {
  const { step, ...first } = state.next(row);
  const kept = state.keepFor({ ...first, step });
  step.ran = { client, state: null };
  step.isOpen = false;
  state.advance(step, kept);
}

const settled = () => new Promise(setImmediate);

const answered = () =>
  Promise.resolve({ ok: true as const, reply: { ok: true as const, outputs: {}, inferenceMs: 0, states: [null] } });

function batchOf(items: readonly PreparedItem[]): Batch<PreparedItem> {
  const { length: paddedSize } = items;
  return { id: 1, items, paddedSize, extents: [], isAlone: false, reason: "idle", predictedMs: null };
}

it("a step that is aborted while its batch is copied is sent without its sequence", async () => {
  const reader = InputReader.for(LARGE_SIGNATURE, planPadding(LARGE_SIGNATURE));
  const [one, two] = [1, 2].map((id) => {
    const state = new KeptState(id, { tensors: [Float32Array.of(0)] }, 1, ROW_STEPS);
    return state.next(reader.admit(new Float32Array(LARGE)));
  });
  const worker = workerThat(answered);
  const run = new StepBatches(rowSteps(reader, 1)).prepare(batchOf([one!, two!])).runOn(worker.client, RUN);
  expect(worker.sent).toEqual([]);
  one!.step.isOpen = false;
  await run;
  expect(worker.sent).toMatchObject([{ rows: { count: 2 }, steps: [null, { sequence: 2, step: 1 }] }]);
});

it("a replay whose step is aborted while its row is copied is not sent", async () => {
  const reader = InputReader.for(LARGE_SIGNATURE, planPadding(LARGE_SIGNATURE));
  const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, 64, ROW_STEPS);
  advanceOnce(state, reader.admit(new Float32Array(LARGE)), workerThat(answered).client);
  const next = state.next(reader.admit(new Float32Array(LARGE)));
  const worker = workerThat(answered);
  const run = new StepBatches(rowSteps(reader, 1)).prepare(batchOf([next])).runOn(worker.client, RUN);
  // The replay has begun, and copies the row.
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  next.step.isOpen = false;
  await run;
  expect(worker.sent).toEqual([]);
});

it.each([
  { paddedSize: 1, replayed: 1, why: "batches are not trusted" },
  { paddedSize: 4, replayed: 4, why: "4 is the smallest size that is allowed" },
  { paddedSize: 8, replayed: 4, why: "4 is the smallest size that is allowed" },
])("a replay for a run of $paddedSize rows has $replayed, since $why", async ({ paddedSize, replayed }) => {
  const reader = InputReader.for(SIGNATURE, planPadding(SIGNATURE));
  const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, 64, ROW_STEPS);
  advanceOnce(state, reader.admit([1]), workerThat(answered).client);
  const worker = workerThat(answered);
  const batch = { ...batchOf([state.next(reader.admit([2]))]), paddedSize };
  await new StepBatches(rowSteps(reader, 4)).prepare(batch).runOn(worker.client, RUN);
  expect(worker.sent).toMatchObject([
    { paddedSize: replayed, steps: [{ step: 1 }] },
    { paddedSize, steps: [{ step: 2 }] },
  ]);
});

it("a state that a worker turns out not to have, while another one is restored, is restored too", async () => {
  const reader = InputReader.for(SIGNATURE, planPadding(SIGNATURE));
  const lost = { ok: false as const, error: new FramebatchError("SEQUENCE_LOST", "lost") };
  const ends: ((result: RunResult) => void)[] = [];
  const worker = workerThat(() => new Promise((end) => ends.push(end)));
  const sent = () => worker.sent.map(({ steps }) => steps?.map((step) => [step?.sequence, step?.step]));
  const batches = new StepBatches(rowSteps(reader, 1));
  const [here, away] = [1, 2].map((id) => new KeptState(id, { tensors: [Float32Array.of(0)] }, 64, ROW_STEPS));
  advanceOnce(here!, reader.admit([1]), worker.client);
  advanceOnce(away!, reader.admit([2]), workerThat(answered).client);
  const aborted = here!.next(reader.admit([5]));
  const left = batches.prepare(batchOf([aborted])).runOn(worker.client, RUN);
  aborted.step.isOpen = false;
  here!.left(null);
  const both = [here!.next(reader.admit([6])), away!.next(reader.admit([7]))];
  const run = batches.prepare(batchOf(both)).runOn(worker.client, RUN);
  await settled();
  expect(sent()).toEqual([[[1, 2]], [[2, 1]]]);
  ends[0]!(lost);
  await left;
  for (let next = 1; next < 4; next++) {
    ends[next]!(await answered());
    await settled();
  }
  await run;
  expect(sent().slice(2)).toEqual([[[1, 1]], [[1, 2], [2, 2]]]); // prettier-ignore
  expect(worker.sent.at(-1)?.steps?.map((step) => step?.from)).toEqual([undefined, undefined]);
});

it("a batch that runs again in another worker leaves out a step that was aborted", async () => {
  const { items, prepared } = twoSteps();
  const [lost, next] = [workerThat(() => Promise.reject(new Error("it died"))), workerThat(answered)];
  await expect(prepared.runOn(lost.client, RUN)).rejects.toThrow("it died");
  items[0]!.step.isOpen = false;
  await prepared.runOn(next.client, RUN);
  expect(lost.sent).toMatchObject([{ rows: { count: 2 }, steps: [{ sequence: 1 }, { sequence: 2 }] }]);
  expect(next.sent).toMatchObject([
    { rows: { count: 1 }, steps: [{ sequence: 2, step: 1, from: { tensors: [Float32Array.of(0)] } }] },
  ]);
});

it("a worker hears of the end of a sequence when no run with a step of it is open", async () => {
  const { states, prepared } = twoSteps();
  let finish: () => void = () => undefined;
  const worker = workerThat(() => new Promise<void>((resolve) => (finish = resolve)).then(answered));
  const run = prepared.runOn(worker.client, RUN);
  states[0]!.end();
  expect(worker.told).toEqual([]);
  finish();
  await run;
  expect(worker.told).toEqual([{ endedSequence: 1 }]);
  states[1]!.end();
  expect(worker.told).toEqual([{ endedSequence: 1 }, { endedSequence: 2 }]);
});
