import { outputNames } from "@framebatch/rows/model/signature.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { ModelCopy } from "../files/model-files.js";
import { roundsCoarsely } from "../graph/operators.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import type { RunFeeds } from "../verify/check-runs.js";
import { createSession } from "./create-session.js";
import type { Backend } from "./trial.js";

/** How far right answers of a model that rounds coarsely may be apart, see `Agreement`. */
const COARSE = { relative: 0.05, absolute: 8 * 2 ** -10 };

/** A second session of a model, on WASM. */
export interface Reference {
  readonly run: RunFeeds;
  /** How far the answers of another provider may be apart from these. */
  readonly agreement: Agreement;
  release(): Promise<void>;
}

/**
 * Returns a function that creates a session of the same file on WASM, in the same ONNX Runtime: its builds for a GPU contain
 * the kernels of WASM, too. Nothing else may call ONNX Runtime meanwhile, nor while the session runs or is released.
 */
export async function prepareReference(
  { runtime, signature }: Pick<Backend, "runtime" | "signature">,
  files: ModelCopy,
  request: LoadRequest,
): Promise<() => Promise<Reference>> {
  const bytes = await files.read();
  const { relative, absolute } = request.agreement;
  const usual: Agreement = roundsCoarsely(bytes) ? COARSE : {};
  const agreement = { relative: relative ?? usual.relative, absolute: absolute ?? usual.absolute };
  return async () => {
    const session = await createSession(runtime, "wasm", bytes, files, request);
    return {
      run: async (feeds) => fromOutputs(await session.run(toFeeds(runtime, feeds), outputNames(signature))),
      agreement,
      release: () => session.release(),
    };
  };
}
