import type { OrtBackend } from "./ort-session.js";
import type { BenchItem, Numbers } from "./tensors.js";

/** The requests of the limit lane, one at a time. The worker answers each with the matching reply or with `failed`. */
export type LimitRequest =
  | {
      readonly kind: "open";
      /** An absolute URL. */
      readonly url: string;
      readonly backend: OrtBackend;
      /** The items from which batches are built. */
      readonly items: readonly BenchItem[];
    }
  | { readonly kind: "answer"; readonly item: BenchItem }
  | { readonly kind: "drive"; readonly maxBatchSize: number; readonly sliceMs: number };

export type LimitReply =
  | { readonly kind: "opened" }
  | { readonly kind: "answered"; readonly data: Numbers }
  | { readonly kind: "driven"; readonly predictions: number; readonly elapsedMs: number; readonly batchSize: number }
  | { readonly kind: "failed"; readonly message: string };
