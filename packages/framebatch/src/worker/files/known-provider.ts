import type { LoadRequest } from "../../transport/protocol.js";
import { type ExecutionProvider, type ProviderCheck, traitsOf } from "../../transport/providers.js";
import { VERSION } from "../../transport/version.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { readKnown } from "./known-model.js";
import { contextOf } from "./model-profile.js";

/** Version of the rules. Increase it whenever a provider may get another verdict. */
const RULES_VERSION = 1;

/** Returns the context of the verdict on a provider: what decides its answers and those of WASM, besides the model. */
export function providerContext(
  { sessionOptions, providerOptions, agreement, externalData, outputs = [] }: LoadRequest,
  provider: ExecutionProvider,
  adapter: string | null,
): Promise<string> {
  const rules = ["provider", VERSION, RULES_VERSION];
  const options = [sessionOptions, providerOptions, agreement, externalData.length, outputs];
  return contextOf([rules, provider, adapter, navigator.userAgent, options]);
}

/** Returns the verdict of an earlier visit on a provider; `null` if there is none. See `readKnown`. */
export async function readProviderCheck(
  request: LoadRequest,
  provider: ExecutionProvider,
  adapter: string | null,
  database: ModelDatabase,
): Promise<ProviderCheck | null> {
  const own = request.variants.find((variant) => variant.provider === provider);
  const asked = own === undefined ? request : { ...request, ...own, variants: [] };
  const { facts } = await readKnown(asked, await providerContext(asked, provider, adapter), database);
  return facts.providerCheck && { ...facts.providerCheck, fromCache: true };
}

/** Returns whether the answers of a provider are compared with those of WASM. */
export function isCompared(provider: ExecutionProvider, { comparesProviders = false }: LoadRequest): boolean {
  return comparesProviders && traitsOf(provider).usesGpu;
}
