import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { RecordingQueue } from "@framebatch/batcher/test/recording-queue.js";
import type { SequenceOptions } from "../../src/sequences/sequence-options.js";
import { KeptState, type StateClient, isStepped } from "../../src/sequences/page/kept-state.js";
import { ModelSequence } from "../../src/sequences/page/model-sequence.js";
import { ROW_STEPS } from "../../src/sequences/page/sequence-items.js";

/** Sequences whose steps a test answers. */
export class LineScene {
  readonly clock = new ManualClock();
  readonly queue = new RecordingQueue<PreparedItem, Outputs>();
  /** What the worker was told. */
  readonly told: object[] = [];
  /** The sequences that the end of the model has to end. */
  readonly atWork = new Set<{ dispose(): Promise<void> }>();
  readonly client: StateClient = {
    run: () => Promise.reject(new Error("this worker runs nothing")),
    notify: (notice) => void this.told.push(notice),
    hasEnded: false,
  };

  start(options: SequenceOptions = {}, every = 1) {
    const { clock, queue, atWork } = this;
    const state = new KeptState(1, { tensors: [Float32Array.of(0)] }, every, ROW_STEPS);
    const snapshotOf = () => ({});
    return { state, sequence: new ModelSequence({ state, queue, clock, admit: rowOf, snapshotOf, atWork }, options) };
  }

  /** The item and the step number of each request that the model got. */
  get asked(): readonly (readonly [unknown, number])[] {
    return this.queue.requests.map(({ item }) => [item.data[0]?.[0], isStepped(item) ? item.step.number : 0]);
  }

  /** Answers the newest request, as the worker would. @param returns whether the state comes with the answer */
  async answer(returns = true): Promise<void> {
    const { item, sink } = this.queue.requests.at(-1)!;
    if (isStepped(item)) {
      item.step.state.runBegan(this.client);
      item.step.state.runEnded();
      item.step.ran = {
        client: this.client,
        state: returns ? { tensors: [Float32Array.of(item.step.number)] } : null,
      };
    }
    sink.resolve({}, null, 0);
    await settled();
  }
}

export function rowOf(item: number): PreparedItem {
  return { data: [Float32Array.of(item)], sizes: [], shape: { group: "", extents: [] } };
}

export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}
