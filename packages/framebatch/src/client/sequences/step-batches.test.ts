import { expect, it } from "vitest";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { PageNotice } from "../../transport/page-notices.js";
import type { RunRequest } from "../../transport/protocol.js";
import { KeptState, type StateClient } from "./kept-state.js";
import { ROW_STEPS, rowSteps } from "./row-steps.js";
import { StepBatches } from "./step-batches.js";

const X: TensorInfo = { name: "x", type: "float32", dims: [null, 1], symbols: ["batch", null], batchAxis: 0 };
const SIGNATURE = { inputs: [X], outputs: [], fixedBatch: null };
const RUN = { timeoutMs: 1000, isDivided: false };

/** A worker that notes what it gets. */
function workerThat(run: () => ReturnType<StateClient["run"]>) {
  const [sent, told]: [RunRequest[], PageNotice[]] = [[], []];
  const client: StateClient = {
    run(request) {
      sent.push(request);
      return run();
    },
    notify: (notice) => void told.push(notice),
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

const answered = () =>
  Promise.resolve({ ok: true as const, reply: { ok: true as const, outputs: {}, inferenceMs: 0, states: [null] } });

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
