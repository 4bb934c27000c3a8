import { Collator } from "@framebatch/rows/collate/collator.js";
import { planChecks } from "@framebatch/rows/collate/input-range.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import type { RemoteModelOptions } from "../options/remote-model-options.js";
import type { RemoteMetadata } from "@framebatch/remote/server/metadata.js";

/** How items are checked and prepared. */
export interface Collation {
  readonly signature: ModelSignature;
  readonly collator: Collator;
}

/** Returns the collation for a model as its server describes it. @throws INVALID_OPTION; MODEL_INVALID */
export function collationOf(
  { inputs, outputs }: RemoteMetadata,
  { batchAxis, padding, validate }: Pick<RemoteModelOptions, "batchAxis" | "padding" | "validate">,
): Collation {
  const signature = resolveSignature(inputs, outputs, batchAxis);
  return {
    signature,
    collator: new Collator(signature, planPadding(signature, padding), planChecks(signature.inputs, validate)),
  };
}
