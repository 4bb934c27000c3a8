import type { ExecutionProvider } from "../../transport/providers.js";
import { quoteNames } from "@framebatch/batcher/errors/names.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { ModelOptions } from "./options.js";

/**
 * Returns the options of a model for the execution providers that an entry of the package ships.
 * @param providers all of them; without, every provider is shipped
 * @throws INVALID_OPTION when the options name another one
 */
export function withShippedProviders<Options extends Pick<ModelOptions, "executionProviders">>(
  options: Options,
  providers: readonly ExecutionProvider[] | undefined,
): Options {
  // The checks of the model reject what is no object, and no list.
  if (providers === undefined || !isOptionsObject(options)) return options;
  const { executionProviders: asked = "auto" } = options;
  const executionProviders = asked === "auto" ? providers : asked;
  const isShipped = !Array.isArray(executionProviders) || executionProviders.every((name) => providers.includes(name));
  if (isShipped) return { ...options, executionProviders };
  throw optionError(
    "executionProviders",
    quoteNames(providers),
    executionProviders,
    'import from "framebatch" for the others',
  );
}
