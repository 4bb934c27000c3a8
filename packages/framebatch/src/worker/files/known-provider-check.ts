import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import { VERSION } from "../../transport/version.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { ModelFacts } from "../../store/model-facts.js";
import { copiesOf, keyOf } from "./cached-copies.js";
import { contextOf } from "./model-profile.js";

/** Version of the rules. Increase it whenever a provider may get another verdict. */
const RULES_VERSION = 1;
/** How long a load waits for the verdict, in milliseconds. */
const TIMEOUT_MS = 500;

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

/**
 * Returns the verdict of an earlier visit on a provider; `null` if there is none. It is that of the cached copy of the model,
 * see `readKnown`.
 */
export async function readProviderCheck(
  request: LoadRequest,
  provider: ExecutionProvider,
  adapter: string | null,
  database: ModelDatabase,
): Promise<ProviderCheck | null> {
  const own = request.variants.find((variant) => variant.provider === provider);
  const asked = own === undefined ? request : { ...request, ...own, variants: [] };
  const deadline = new Deadline(TIMEOUT_MS, hostTimer);
  try {
    const key = keyOf(await providerContext(asked, provider, adapter), await copiesOf(asked, database, deadline));
    const { providerCheck } =
      key === null ? { providerCheck: null } : await new ModelFacts(database).read(key, deadline);
    return providerCheck && { ...providerCheck, fromCache: true };
  } catch {
    return null;
  }
}

/** Returns whether the answers of a provider are compared with those of WASM. */
export function isCompared(provider: ExecutionProvider, { comparesProviders = false }: LoadRequest): boolean {
  return comparesProviders && traitsOf(provider).usesGpu;
}
