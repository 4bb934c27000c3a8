import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { StateData } from "../../transport/protocol.js";
import type { KeptState, StateClient } from "./kept-state.js";

/** A step of a sequence in the queue and in batches. */
export class StepRow implements PreparedItem {
  readonly shape: PreparedItem["shape"];
  readonly data: PreparedItem["data"];
  readonly sizes: PreparedItem["sizes"];
  readonly state: KeptState;
  /** Its number. That of an aborted step is used again. */
  readonly step: number;
  /** Whether its run returns the state after it. */
  readonly returns: boolean;
  /** Whether its caller waits for it. */
  isOpen = true;
  /** Whether the current attempt at its batch sends it. */
  isSent = false;
  /** The worker that has run it, and the state if that was returned; `null` before. */
  ran: { readonly client: StateClient; readonly state: StateData | null } | null = null;

  constructor({ shape, data, sizes }: PreparedItem, state: KeptState, step: number, returns: boolean) {
    this.shape = shape;
    this.data = data;
    this.sizes = sizes;
    this.state = state;
    this.step = step;
    this.returns = returns;
  }
}
