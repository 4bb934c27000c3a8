import type { BatchedModel, HybridModel, ItemOf, ModelTypes, OutputsOf, UnknownModel } from "../options/model.js";
import type { HybridModelOptions } from "../../servers/page/hybrid-options.js";
import type { ModelSource, SourceByProvider } from "../options/model-source.js";
import type { GroupedModel, GroupHandlerModelOptions, ModelGroup } from "../options/model-group.js";
import type {
  ChoosingModelOptions,
  DecoderOptions,
  GeneratingModel,
  GroupChoosingModelOptions,
} from "../options/generation.js";
import type { HandlerModelOptions, ModelOptions } from "../options/options.js";
import type { AnyModel, AnyModelOptions } from "./open-model.js";
import type { createBatchedModel } from "./packaged.js";

/** Returns `open` with the type of `createBatchedModel`. */
export function asCreateBatchedModel(
  open: (source: ModelSource | SourceByProvider, options: AnyModelOptions | undefined) => Promise<AnyModel>,
): typeof createBatchedModel {
  function create<Input, Output>(
    source: ModelSource | SourceByProvider,
    options: HandlerModelOptions<Input> | GroupHandlerModelOptions<Input>,
  ): Promise<BatchedModel<Input, Output>>;
  function create<Model extends ModelTypes<Model> = UnknownModel>(
    source: ModelSource | SourceByProvider,
    options: HybridModelOptions<ItemOf<Model>>,
  ): Promise<HybridModel<ItemOf<Model>, OutputsOf<Model>>>;
  function create<Model extends ModelTypes<Model> = UnknownModel>(
    source: ModelSource | SourceByProvider,
    options:
      | (ModelOptions<ItemOf<Model>> & { readonly generate: true | DecoderOptions })
      | ChoosingModelOptions<ItemOf<Model>>
      | GroupChoosingModelOptions<ItemOf<Model>>,
  ): Promise<GeneratingModel<ItemOf<Model>, OutputsOf<Model>>>;
  function create<Model extends ModelTypes<Model> = UnknownModel>(
    source: ModelSource | SourceByProvider,
    options: ModelOptions<ItemOf<Model>> & { readonly group: ModelGroup },
  ): Promise<GroupedModel<ItemOf<Model>, OutputsOf<Model>>>;
  function create<Model extends ModelTypes<Model> = UnknownModel>(
    source: ModelSource | SourceByProvider,
    options?: ModelOptions<ItemOf<Model>> | HybridModelOptions<ItemOf<Model>>,
  ): Promise<BatchedModel<ItemOf<Model>, OutputsOf<Model>>>;
  async function create(
    source: ModelSource | SourceByProvider,
    options: AnyModelOptions | undefined,
  ): Promise<AnyModel> {
    return open(source, options);
  }
  return create;
}
