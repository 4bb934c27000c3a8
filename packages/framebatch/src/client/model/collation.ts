import { Collator } from "../../core/collate/collator.js";
import { resolveSignature } from "../../core/model/batch-axis.js";
import type { ModelSignature } from "../../core/model/signature.js";
import { planPadding } from "../../core/padding/plan.js";
import type { RemoteModelOptions } from "../options/remote-options.js";
import type { RemoteMetadata } from "../remote/metadata.js";

/** How items are checked and prepared. */
export interface Collation {
  readonly signature: ModelSignature;
  readonly collator: Collator;
}

/** Returns the collation for a model as its server describes it. @throws INVALID_OPTION; UNSUPPORTED */
export function collationOf(
  { inputs, outputs }: RemoteMetadata,
  { batchAxis, padding, validate }: Pick<RemoteModelOptions, "batchAxis" | "padding" | "validate">,
): Collation {
  const signature = resolveSignature(inputs, outputs, batchAxis);
  return { signature, collator: new Collator(signature, planPadding(signature, padding), validate) };
}
