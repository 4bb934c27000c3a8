import type { OrtBackend } from "./ort-session.js";
import type { BenchItem, Numbers } from "./tensors.js";

/** One at a time; each is answered by the reply of its kind, or by `failed`. */
export type LimitRequest =
  | {
      readonly kind: "open";
      /** Absolute. */
      readonly url: string;
      readonly backend: OrtBackend;
      /** What batches are made of. */
      readonly items: readonly BenchItem[];
    }
  | { readonly kind: "answer"; readonly item: BenchItem }
  | { readonly kind: "drive"; readonly maxBatchSize: number; readonly sliceMs: number };

export type LimitReply =
  | { readonly kind: "opened" }
  | { readonly kind: "answered"; readonly data: Numbers }
  | { readonly kind: "driven"; readonly predictions: number; readonly elapsedMs: number; readonly batchSize: number }
  | { readonly kind: "failed"; readonly message: string };
