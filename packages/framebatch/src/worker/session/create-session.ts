import type { InferenceSession } from "onnxruntime-web/wasm";
import type { LoadRequest } from "../../transport/protocol.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ModelFiles } from "../files/model-files.js";
import { withHeldFiles } from "../ort/held-files.js";
import { entryOf } from "../ort/runtime.js";
import type { Runtime } from "../ort/runtime-handover.js";

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
