import type { ExecutionProvider } from "framebatch";
import type { SoakModelName } from "./soak-items.js";

export interface RightAnswersRequest {
  readonly model: SoakModelName;
  readonly url: string;
  readonly provider: ExecutionProvider;
  /** The number of distinct inputs. */
  readonly count: number;
}

/** The output of each input, by the number of the input. */
export type RightAnswers = readonly Float32Array[];

/** Returns the elements of the output, or `null` if it is not an output of the soak's models. */
export function rowFrom(outputs: Readonly<Record<string, { readonly data: unknown }>>): Float32Array | null {
  const data = (outputs["y"] ?? outputs["logits"])?.data;
  return data instanceof Float32Array ? data : null;
}
