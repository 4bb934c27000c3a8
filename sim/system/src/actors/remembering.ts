import { step } from "../runtime/recurrent.js";
import { mayFail } from "./handled.js";
import { elementsOf } from "./items.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** Address of the caller's own worker, whose handlers remember. */
export const REMEMBERING_WORKER = "https://app.example/remembering.worker.js";

/** The name under which models of groups have its handlers. */
export const REMEMBERING_OF_GROUPS = "remembering";

interface Memory {
  /** The state of `rnn`, and that before the step. */
  state: readonly number[];
  before: readonly number[];
}

interface Context {
  readonly sequence: Memory;
}

/** Handlers of the model `affine` which make of it, with what they remember of a sequence, the model `rnn`. */
export const REMEMBERING = {
  begin: (): Memory => ({ state: [0, 0, 0, 0], before: [] }),

  async preprocess(item: ItemSpec, { sequence }: Context): Promise<{ x: Float32Array }> {
    await mayFail(item, 0);
    const x = elementsOf(item);
    sequence.before = sequence.state;
    sequence.state = step(x, [sequence.state], 1).after[0]!;
    return { x };
  },

  async postprocess(
    { y }: { readonly y: { readonly data: Float32Array } },
    item: ItemSpec,
    { sequence }: Context,
  ): Promise<unknown> {
    await mayFail(item, 1);
    return { y: { data: y.data.map((element, at) => element + sequence.before[at]!) } };
  },
};
