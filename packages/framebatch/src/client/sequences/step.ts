import type { StateData } from "../../transport/protocol.js";
import type { KeptState, StateClient } from "./kept-state.js";

/** A step of a sequence, beside its row in the queue and in batches. */
export class Step<Row = unknown> {
  readonly state: KeptState<Row>;
  /** Its number. That of an aborted step is used again. */
  readonly number: number;
  /** Whether its run returns the state after it. */
  readonly returns: boolean;
  /** Whether its caller waits for it. */
  isOpen = true;
  /** Whether the current attempt at its batch sends it. */
  isSent = false;
  /** The worker that has run it, and the state if that was returned; `null` before. */
  ran: { readonly client: StateClient; readonly state: StateData | null } | null = null;

  constructor(state: KeptState<Row>, number: number, returns: boolean) {
    this.state = state;
    this.number = number;
    this.returns = returns;
  }
}

/** A row with its step. */
export type Stepped<Row> = Row & { readonly step: Step<Row> };

/** Whether a row is a step of a sequence. */
export function isStepped<Row extends object>(row: Row): row is Stepped<Row> {
  return "step" in row && row.step instanceof Step;
}
