import type { ExecutionProvider } from "../../core/providers.js";
import type { LoadRequest } from "../../core/protocol/protocol.js";
import { findDevice } from "./device.js";
import { chooseBuild, loadRuntime, type Runtime } from "./runtime.js";

/** An ONNX model that gives back its one number: `y = Identity(x)`, version 8 of the format, set 13 of the operators. */
const LEAST_MODEL = "CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggBYg8KAXkSCgoICAESBAoCCAFCAhAN";

/**
 * Starts ONNX Runtime while the model is still on its way: to fetch, compile and start its WebAssembly takes longer than all else
 * about a small model, and as long as the download of many a large one. Making a session is the only way to start it, so one is made
 * of the least model that there is, and never released, since a session that goes may take the GPU device with it.
 */
export class EarlyRuntime {
  readonly #request: LoadRequest;
  readonly #started: Promise<{ readonly provider: ExecutionProvider; readonly runtime: Runtime } | null>;

  /** Starts it for the first of the providers that this browser has. */
  constructor(request: LoadRequest) {
    this.#request = request;
    this.#started = this.#start();
    // Whoever asks for the runtime hears why there is none.
    this.#started.catch(() => undefined);
  }

  /** The runtime for a provider, started or not. Nobody else may use it until this resolves. @throws why it could not be started */
  async for(provider: ExecutionProvider): Promise<Runtime> {
    const started = await this.#started;
    return started?.provider === provider ? started.runtime : loadRuntime(chooseBuild(provider), this.#request);
  }

  async #start() {
    for (const provider of this.#request.providers) {
      if ("missing" in (await findDevice(provider))) continue;
      const runtime = await loadRuntime(chooseBuild(provider), this.#request);
      const bytes = Uint8Array.from(atob(LEAST_MODEL), (character) => character.charCodeAt(0));
      await runtime.InferenceSession.create(bytes, { executionProviders: [provider] });
      return { provider, runtime };
    }
    return null;
  }
}
