import type { FailedReply } from "../../transport/protocol.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";

/** How a run of feeds ended. */
export type FeedsReply =
  | {
      readonly ok: true;
      /** Tensors by output name. */
      readonly outputs: Readonly<Record<string, Tensor>>;
      readonly inferenceMs: number;
    }
  | FailedReply;

/** Runs feeds on the session. Calls `onBegin` when their turn has come. */
export type ServeFeeds = (feeds: Readonly<Record<string, Tensor>>, onBegin?: () => void) => Promise<FeedsReply>;
