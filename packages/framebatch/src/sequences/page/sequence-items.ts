import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import {
  type Item,
  type Outputs,
  setOwn,
  type Tensor,
  type TensorData,
  type TensorInfo,
} from "@framebatch/rows/tensor/tensor.js";
import type { LoadedModel } from "../../transport/protocol.js";
import type { StateData } from "../sequence-messages.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import { StepBatches, isSentStep, sendSteps, type StepSender } from "./step-batches.js";
import { KeptState, type StepRows, type StateClient } from "./kept-state.js";
import type { ItemKind } from "../../client/model/item-kind.js";
import { stateDims, zeroStates } from "@framebatch/rows/model/recurrence.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import { checkSequenceOptions, type Sequence, type SequenceOptions, type SequenceState } from "../sequence-options.js";
import { ModelSequence } from "./model-sequence.js";
import { noSnapshot } from "./sequence-errors.js";
import type { TurnPlace } from "./sequence-turns.js";
import { packRows } from "@framebatch/rows/collate/sent-rows.js";
import { isHere, RowBatches, outgoingRows } from "../../client/engine/row-batches.js";

/** Returns the same kind for a model with states, whose items may be steps of sequences. */
export function withSequences(
  kind: ItemKind<Item, PreparedItem, Outputs>,
  reader: InputReader,
  { signature, states = [] }: Pick<LoadedModel, "signature" | "states">,
  { allowedBatchSizes }: Pick<BatcherOptions, "allowedBatchSizes">,
): ItemKind<Item, PreparedItem, Outputs> {
  const batches = new StepBatches(rowSteps(reader, signature.fixedBatch ?? allowedBatchSizes?.[0] ?? 1));
  const sequences = new ModelSequences(states, { ...ROW_STEPS, hasMemory: false });
  return {
    ...kind,
    prepare: (batch) => batches.prepare(batch),
    startSequence: (place, options) => sequences.start(place, options),
    endSequences: () => sequences.endAll(),
  };
}

/** Maximum number of bytes of state that a step copies to the page, on average. */
const COPIED_BYTES = 4096;
/** Even a small state takes as long to send as the rest of a small step. */
const MIN_SNAPSHOT_EVERY = 16;
const MAX_SNAPSHOT_EVERY = 64;

/** Where the sequences of a model run. */
type SequencePlace<Input, Row, Output> = Omit<TurnPlace<Row, Output>, "state"> & {
  readonly admit: (item: Input, isMoved: boolean) => Row;
};

/** What differs between models of tensors and models with handlers. */
interface SequenceKind<Row> extends StepRows<Row> {
  /** Whether handlers may remember what no snapshot tells. */
  readonly hasMemory: boolean;
}

/** Starts the sequences of one model. */
export class ModelSequences<Row> {
  readonly #kind: SequenceKind<Row>;
  readonly #states: readonly TensorInfo[];
  readonly #reader: InputReader;
  readonly #atWork = new Set<{ dispose(): Promise<void> }>();
  #started = 0;

  /** @param states the inputs that hold state, in the order of the model */
  constructor(states: readonly TensorInfo[], kind: SequenceKind<Row>) {
    this.#kind = kind;
    const signature = { inputs: states, outputs: [], fixedBatch: null };
    this.#states = states;
    this.#reader = InputReader.for(signature, planPadding(signature));
  }

  /** @throws INVALID_OPTION */
  start<Input, Output>(
    place: SequencePlace<Input, Row, Output>,
    options: SequenceOptions = {},
  ): Sequence<Input, Output> {
    checkSequenceOptions(options);
    const initial = this.#read(options.initial ?? {});
    const every = options.snapshotEvery ?? snapshotEvery(initial);
    const state = new KeptState(++this.#started, initial, every, this.#kind);
    const snapshotOf = (data: StateData) => this.#snapshotOf(data);
    return new ModelSequence({ ...place, state, snapshotOf, atWork: this.#atWork }, options);
  }

  /** Ends all sequences with their model. */
  endAll(): void {
    for (const sequence of this.#atWork) void sequence.dispose();
  }

  /** @throws INVALID_OPTION when a state does not fit the model */
  #read(initial: NonNullable<SequenceOptions["initial"]>): StateData {
    const zeros = zeroStates(this.#states.map((input) => ({ input })));
    const given = { ...this.#record(zeros), ...initial };
    try {
      return { tensors: this.#reader.admit(given).data.filter((elements) => elements !== null) };
    } catch (thrown) {
      const { message } = asError(thrown);
      throw new FramebatchError("INVALID_OPTION", `initial: ${message}`, {
        cause: thrown,
        details: { option: "initial" },
      });
    }
  }

  #snapshotOf({ tensors }: StateData): SequenceState {
    if (this.#kind.hasMemory) throw noSnapshot();
    return this.#record(tensors.map((elements) => elements.slice()));
  }

  #record(data: readonly TensorData[]): Record<string, Tensor> {
    const record: Record<string, Tensor> = {};
    for (const [index, input] of this.#states.entries()) {
      setOwn(record, input.name, { type: input.type, dims: stateDims(input).map(Number), data: data[index]! });
    }
    return record;
  }
}

/** Returns after how many steps a state is copied to the page. */
function snapshotEvery({ tensors }: StateData): number {
  const bytes = tensors.reduce((sum, data) => sum + ("byteLength" in data ? data.byteLength : 0), 0);
  return Math.min(MAX_SNAPSHOT_EVERY, Math.max(MIN_SNAPSHOT_EVERY, Math.ceil(bytes / COPIED_BYTES)));
}

/** Rows of tensors as steps. */
export const ROW_STEPS: StepRows<PreparedItem> = {
  copy: ({ shape, sizes, data }) => ({ shape, sizes, data: data.map((elements) => elements?.slice() ?? null) }),
  end: () => undefined,
  stepped: (row, step) => ({ ...row, step }),
};

/**
 * Sends rows of tensors with their steps.
 * @param leastRows number of rows of a run of one step, unless its batch has fewer: a step runs alone while batches are
 * not trusted
 */
export function rowSteps(reader: InputReader, leastRows: number): StepSender<PreparedItem, Outputs, StateClient> {
  // No row moves: a step may have to run again.
  const batches = new RowBatches(reader, true, isSent);
  return {
    prepare(batch) {
      const prepared = batches.prepare(batch);
      return {
        ...prepared,
        runOn: (client, run) =>
          prepared.runOn(
            {
              run: (request, ...others) =>
                sendSteps(batch.items.filter(isSent), client, (steps) => client.run({ ...request, steps }, ...others)),
            },
            run,
          ),
      };
    },
    async replay(row, batch, sentAs, client, run) {
      const { rows, transfer } = await outgoingRows([row], packRows(reader.plans, [row]).rows, true);
      const sent = sentAs();
      if (sent === null) return null;
      const { extents, ownExtents = extents } = row.shape;
      const paddedSize = Math.min(leastRows, batch.paddedSize);
      const request = { rows, paddedSize, extents: ownExtents, mayMerge: false, steps: [sent] };
      return client.run(request, transfer, run);
    },
  };
}

function isSent(row: PreparedItem): boolean {
  return isSentStep(row) ?? isHere(row);
}
