import type { InferenceSession } from "onnxruntime-web/wasm";
import type { LoadRequest } from "../../transport/protocol.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ModelFiles, ModelCopy } from "../files/model-files.js";
import { entryOf, type Runtime } from "../ort/runtime-handover.js";
import { outputNames } from "@framebatch/rows/model/signature.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import { roundsCoarsely } from "../graph/operators.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import type { RunFeeds } from "../../verification/worker/check-runs.js";
import type { Backend } from "./trial.js";

/** Creates a session. ONNX Runtime may write to the options; they are a copy of the caller's. */
export async function createSession(
  runtime: Runtime,
  provider: ExecutionProvider,
  bytes: Uint8Array,
  { externalData }: Pick<ModelFiles, "externalData">,
  request: LoadRequest,
): Promise<InferenceSession> {
  const weights = externalData.map(({ data }) => data);
  return withHeldFiles(weights, (held) =>
    runtime.InferenceSession.create(bytes, {
      ...request.sessionOptions,
      ...(held.length > 0 && { externalData: held.map((data, index) => ({ ...externalData[index]!, data })) }),
      executionProviders: [entryOf(provider, request)],
    }),
  );
}

/** The files that ONNX Runtime reads now, and the stream of the part of each that it reads. */
const reading = new Map<Blob, ReadableStream | null>();

/**
 * Gives files to ONNX Runtime, which reads them part by part until `use` ends.
 *
 * Chromium frees the stream of a Blob although a read of it is pending, if only what waits for that read refers to the
 * stream. The read then never ends. ONNX Runtime refers to its stream from nowhere else, so without this reference, a
 * garbage collection at the wrong moment makes a load wait forever.
 */
export async function withHeldFiles<Result>(
  files: readonly Blob[],
  use: (held: readonly Blob[]) => Promise<Result>,
): Promise<Result> {
  const held = files.map((file) => new HeldFile([file]));
  for (const file of held) reading.set(file, null);
  try {
    return await use(held);
  } finally {
    for (const file of held) reading.delete(file);
  }
}

/** Refers to the stream that was opened last while it is in use: ONNX Runtime reads one part at a time. */
class HeldFile extends Blob {
  override slice(start?: number, end?: number, type?: string): Blob {
    const part = super.slice(start, end, type);
    const open = part.stream.bind(part);
    part.stream = () => {
      const stream = open();
      if (reading.has(this)) reading.set(this, stream);
      return stream;
    };
    return part;
  }
}

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
 * Returns a function that creates a session of the same file on WASM, in the same ONNX Runtime: its builds for a GPU
 * contain the kernels of WASM, too. Nothing else may call ONNX Runtime meanwhile, nor while the session runs or is
 * released.
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
