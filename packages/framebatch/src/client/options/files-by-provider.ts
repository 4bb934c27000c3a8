import { type ExecutionProvider, isProvider, PROVIDERS } from "../../transport/providers.js";
import { optionError, quoteNames } from "@framebatch/batcher/errors/option-errors.js";
import { checkNames, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { KeptModel } from "./model-source.js";
import type { LoadOptions, ModelOptions } from "./options.js";

/** What `"auto"` tries, in this order, where one file is for all providers. */
const AUTOMATIC: readonly ExecutionProvider[] = ["webgpu", "wasm"];

/** Returns the providers that have a file of their own; `null` if one file is for all. */
function providersWithFiles(model: KeptModel): readonly ExecutionProvider[] | null {
  return "byProvider" in model
    ? Object.keys(PROVIDERS)
        .filter(isProvider)
        .filter((name) => name in model.byProvider)
    : null;
}

/** Returns the providers to try, in order. */
export function providersOf(
  { executionProviders = "auto" }: LoadOptions,
  model: KeptModel,
): readonly ExecutionProvider[] {
  return executionProviders === "auto" ? (providersWithFiles(model) ?? AUTOMATIC) : executionProviders;
}

/**
 * Returns the value of an option that is the same for all providers or one for each.
 * @param provider `null` if one file is for all
 */
export function valueFor<Value extends string | readonly unknown[]>(
  given: Value | Readonly<Partial<Record<ExecutionProvider, Value>>> | undefined,
  provider: ExecutionProvider | null,
): Value | undefined {
  if (!isOptionsObject(given)) return given;
  return provider === null ? undefined : given[provider];
}

/**
 * Checks that the options fit the files of the model.
 * @throws INVALID_OPTION for a provider that has no file
 */
export function checkFilesOf(model: KeptModel, { executionProviders, integrity, externalData }: LoadOptions): void {
  const known = providersWithFiles(model);
  for (const [name, value] of Object.entries({ integrity, externalData })) {
    if (!isOptionsObject(value)) continue;
    const fix = "write one value, or give the model one file for each provider";
    if (known === null) throw optionError(name, "one value, because the model is one file", value, fix);
    checkNames(value, known, `${name}.`);
  }
  if (known === null || !Array.isArray(executionProviders)) return;
  for (const [index, provider] of executionProviders.entries()) {
    if (known.includes(provider)) continue;
    const expected = `a provider that has a file in source (${quoteNames(known)})`;
    throw optionError(`executionProviders[${index}]`, expected, provider, "remove it, or add its file to source");
  }
}

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
