import type { OrtBackend } from "./ort-session.js";

/** One at a time; each is answered by the reply of its kind, or by `failed`. */
export type LimitRequest =
  | {
      readonly kind: "open";
      /** Absolute. */
      readonly url: string;
      readonly backend: OrtBackend;
      readonly input: string;
      readonly dims: readonly number[];
    }
  | { readonly kind: "answer"; readonly data: Float32Array }
  | { readonly kind: "drive"; readonly maxBatchSize: number; readonly sliceMs: number };

export type LimitReply =
  | { readonly kind: "opened" }
  | { readonly kind: "answered"; readonly data: Float32Array }
  | { readonly kind: "driven"; readonly predictions: number; readonly elapsedMs: number; readonly batchSize: number }
  | { readonly kind: "failed"; readonly message: string };
