import type { RecurrentName } from "../runtime/models.js";
import type { Outcome } from "./ledger.js";
import type { SequenceSpec } from "../scenario/kinds.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** What a sequence was asked at one time. */
export type AskedTurn =
  | { readonly do: "step"; readonly item: ItemSpec }
  | { readonly do: "reset" }
  | { readonly do: "snapshot"; outcome: Outcome | null };

/** What one sequence was asked, in the order in which it was asked. */
export class SequenceLog {
  readonly model: RecurrentName;
  readonly spec: SequenceSpec;
  readonly turns: AskedTurn[] = [];

  constructor(model: RecurrentName, spec: SequenceSpec) {
    this.model = model;
    this.spec = spec;
  }
}
