import { Group } from "../../groups/page/group.js";
import { keepOptions } from "../options/kept-options.js";
import type { ModelGroup, ModelGroupOptions } from "../options/model-group.js";

/**
 * Creates a group: models that run in one worker, with one ONNX Runtime and one GPU device, which needs less memory
 * than a worker for each. One of them runs at a time. The first model starts the worker. If the worker is lost, all
 * models come back together in a new one.
 *
 * The default `"auto"` of `executionProviders` is WebGPU with a GPU in hardware, else WebAssembly with one thread: no
 * other way is measured.
 * @throws INVALID_OPTION when an option has a wrong name or value
 * @example
 * ```ts
 * const group = createModelGroup();
 * const mel = await createBatchedModel("/models/mel.onnx", { group });
 * const words = await createBatchedModel("/models/words.onnx", { group });
 * await group.dispose();
 * ```
 */
export function createModelGroup(options: ModelGroupOptions = {}): ModelGroup {
  return new Group(keepOptions(options));
}
