import type { GroupChoosingModelOptions } from "./generation.js";
import type { GroupHandlerModelOptions, ModelGroup } from "./model-group.js";
import type { ModelOptions } from "./options.js";

/** The options of a model of a group. */
export type GroupedOptions =
  | (ModelOptions & { readonly group: ModelGroup })
  | GroupHandlerModelOptions<unknown>
  | GroupChoosingModelOptions;

/** Whether options ask for a place in a group. Their values are not checked yet. */
export function hasGroup(options: object | undefined): options is GroupedOptions {
  const { group }: { readonly group?: unknown } = options ?? {};
  return group !== undefined;
}
