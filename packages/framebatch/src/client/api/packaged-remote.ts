import type { ItemOf, ModelTypes, OutputsOf, RemoteModel, UnknownModel } from "../options/model.js";
import { keepFiles, keepOptions } from "../options/kept-options.js";
import type { RemoteModelOptions } from "../../servers/page/remote-model-options.js";
import { importOnDemand } from "./on-demand.js";

/**
 * Opens a model on a server that speaks the Open Inference Protocol v2 over HTTP: KServe, Triton, MLServer, OpenVINO
 * Model Server, Seldon. Requests are queued, batched, padded, aborted and counted as for a model on the device; each
 * batch is one request to the server. No session, worker or ONNX Runtime is loaded, and it runs wherever `fetch` does.
 * Resolves when the server says that the model is ready.
 *
 * The server is trusted to answer each row of a batch as it would alone: nothing is verified.
 * @param url address of the server, without `/v2`, resolved against the page
 * @throws INVALID_OPTION when an option has a wrong name or value, or does not fit the model; REMOTE_BLOCKED for
 * `http:` on a secure page, a server that does not allow this origin, and a redirect; REMOTE_UNREACHABLE, REMOTE_STATUS
 * or REMOTE_INVALID when the server does not describe a model that is ready; MODEL_INVALID for a type that has no array
 * in JavaScript; RUNTIME_LOAD_FAILED when framebatch's own code cannot be loaded; `options.signal.reason` on an abort.
 * @example
 * ```ts
 * const model = await createRemoteModel("https://inference.example", { model: "digits" });
 * const { logits } = await model.predict({ image: pixels });
 * ```
 */
export function createRemoteModel<Model extends ModelTypes<Model> = UnknownModel>(
  url: string | URL,
  options: RemoteModelOptions,
): Promise<RemoteModel<ItemOf<Model>, OutputsOf<Model>>>;
export async function createRemoteModel(url: string | URL, options: RemoteModelOptions): Promise<RemoteModel> {
  const address = keepFiles(url);
  const kept = keepOptions(options);
  const { createModelOn } = await importOnDemand(() => import("../../servers/page/create-remote-model.js"));
  return createModelOn(address, kept);
}
