import type { HybridModelOptions } from "../options/hybrid-options.js";
import type { BatchedModel, HybridModel } from "../options/model.js";
import type { ModelSource, SourceByProvider } from "../options/model-source.js";
import type { HandlerModelOptions, ModelOptions } from "../options/options.js";
import type { AnyModel, AnyModelOptions } from "./open-model.js";
import type { createBatchedModel } from "./packaged.js";

/** Returns `open` with the type of `createBatchedModel`. */
export function asCreateBatchedModel(
  open: (source: ModelSource | SourceByProvider, options: AnyModelOptions | undefined) => Promise<AnyModel>,
): typeof createBatchedModel {
  function create(source: ModelSource | SourceByProvider, options?: ModelOptions): Promise<BatchedModel>;
  function create<Input, Output>(
    source: ModelSource | SourceByProvider,
    options: HandlerModelOptions<Input>,
  ): Promise<BatchedModel<Input, Output>>;
  function create(source: ModelSource | SourceByProvider, options: HybridModelOptions): Promise<HybridModel>;
  async function create(
    source: ModelSource | SourceByProvider,
    options: AnyModelOptions | undefined,
  ): Promise<AnyModel> {
    return open(source, options);
  }
  return create;
}
