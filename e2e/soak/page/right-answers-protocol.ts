import type { ExecutionProvider } from "framebatch";
import type { SoakModelName } from "./soak-items.js";

export interface RightAnswersRequest {
  readonly model: SoakModelName;
  readonly url: string;
  readonly provider: ExecutionProvider;
  /** Of distinct inputs. */
  readonly count: number;
}

/** The one output, by the number of the input. */
export type RightAnswers = readonly Float32Array[];

/** The elements of the output, or `null` where it is not what the models of the soak give. */
export function rowFrom(outputs: Readonly<Record<string, { readonly data: unknown }>>): Float32Array | null {
  const data = (outputs["y"] ?? outputs["logits"])?.data;
  return data instanceof Float32Array ? data : null;
}
