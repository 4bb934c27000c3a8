import { type AnsweredRows, tensorsOf, transferList } from "@framebatch/rows/collate/sent-rows.js";
import type { Collator } from "@framebatch/rows/collate/collator.js";
import { withStateEntries } from "@framebatch/rows/collate/state-entries.js";
import type { StateTensor } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { RowsAnswer, RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import { returned, type RowsReply } from "./returned-rows.js";
import { orDestroy } from "../kept/device-rows.js";
import type { KeptParts } from "../kept/kept-parts.js";
import type { InTurn } from "../session/feeds-reply.js";
import type { LoneSizes } from "../session/lone-sizes.js";
import { releaseBefore, SequenceStates, type StatesBefore } from "../sequences/sequence-states.js";
import { StateRuns } from "../sequences/state-runs.js";
import { type LeftOnDevice, type Ran, type StatedRows } from "../sequences/stated-rows.js";

/** Runs rows of tensors of a model with states: adds the state of each row, and takes the next one off its answer. */
export class StatedRowRuns {
  readonly #states: readonly StateTensor[];
  readonly #collator: Collator;
  readonly #sizes: LoneSizes;
  readonly #sequences: SequenceStates;
  readonly #runs: StateRuns;

  constructor(
    signature: ModelSignature,
    states: readonly StateTensor[],
    collator: Collator,
    sizes: LoneSizes,
    kept: KeptParts,
  ) {
    this.#states = states;
    this.#collator = collator;
    this.#sizes = sizes;
    this.#sequences = new SequenceStates(states);
    this.#runs = new StateRuns(signature, states, kept);
  }

  /** @throws SEQUENCE_LOST when the state of a step is not here; why the rows cannot be stacked or split */
  async run(request: RowsRequest, inTurn: InTurn): Promise<Sent<RowsReply>> {
    const { rows, steps } = request;
    const before = this.#sequences.before(rows.count, steps);
    try {
      const { reply, extents, ...left } = await this.#sizes.run(request.extents, inTurn, (sizes, serve) =>
        this.#runs.run(this.#rowsOf({ ...request, extents: sizes }, before), serve),
      );
      if (!reply.ok) return returned(reply, request);
      const answer = this.#answer(request, this.#split({ ...request, extents }, reply, left), left, before);
      const { inferenceMs } = reply;
      return { reply: { ok: true, ...answer, inferenceMs }, transfer: transferList(answer.outputs) };
    } finally {
      releaseBefore(before);
    }
  }

  #rowsOf({ rows, paddedSize, extents, steps }: RowsRequest, before: StatesBefore): StatedRows {
    const stack: StatedRows["stack"] = (ofStates, isStacked) => {
      const columns = withStateEntries(rows.columns, this.#states, ofStates);
      return this.#collator.stackSent({ ...rows, columns }, paddedSize, extents, isStacked);
    };
    return { before, steps, paddedSize, stack };
  }

  /** Takes the new states off the answers of a run that has succeeded, and keeps those of steps, all at once. */
  #answer(
    { rows, steps }: RowsRequest,
    answered: AnsweredRows,
    left: LeftOnDevice,
    before: StatesBefore,
  ): Pick<RowsAnswer, "outputs" | "states"> {
    const outputs = this.#withoutStates(answered);
    if (steps === undefined) return { outputs };
    const after = this.#runs.after(steps, left, (name) =>
      tensorsOf(answered[name] ?? [], rows.count).map(({ data }) => data),
    );
    this.#sequences.keep(
      before,
      after.map((step) => step && step.state),
      steps,
    );
    return { outputs, states: after.map((step) => step && step.returned) };
  }

  #split({ rows, paddedSize, extents }: RowsRequest, reply: Ran, left: LeftOnDevice): AnsweredRows {
    const isIn = (output: string) => this.#runs.isIn(reply, output);
    return orDestroy(left.onDevice, () => this.#collator.answer(rows, reply.outputs, paddedSize, extents, isIn));
  }

  #withoutStates(answered: AnsweredRows): AnsweredRows {
    const names = new Set(this.#states.map(({ output }) => output.name));
    const outputs: Record<string, AnsweredRows[string]> = {};
    for (const [name, tensors] of Object.entries(answered)) if (!names.has(name)) setOwn(outputs, name, tensors);
    return outputs;
  }

  endSequence(sequence: number): void {
    this.#sequences.end(sequence);
  }

  /** Drops all states. */
  release(): void {
    this.#sequences.endAll();
  }
}
