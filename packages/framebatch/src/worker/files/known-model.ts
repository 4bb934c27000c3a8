import type { LoadRequest } from "../../transport/protocol.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { type Facts, ModelFacts, NO_FACTS } from "../../store/model-facts.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { ModelFiles } from "./model-files.js";
import { contextOf, copiesOf, keyOf, type PlacedFacts, sumOf } from "./model-profile.js";
import { type ExecutionProvider, type ProviderCheck, traitsOf } from "../../transport/providers.js";
import { VERSION } from "../../transport/version.js";

/** How long a load waits for what is known of its model, in milliseconds. */
const KNOWN_TIMEOUT_MS = 500;

/** What is known of a model before its files are read. */
interface KnownModel {
  readonly facts: Facts;
  /** Size of all its files, of every provider; `null` if one of them is neither cached nor given. */
  readonly bytes: number | null;
}

/**
 * Returns what is known in a context of the model at these addresses. It need not be the version that the server has
 * now: what is known is that of the cached copy.
 */
export async function readKnown(request: LoadRequest, context: string, database: ModelDatabase): Promise<KnownModel> {
  const deadline = new Deadline(KNOWN_TIMEOUT_MS, hostTimer);
  try {
    const copies = await copiesOf(request, database, deadline);
    const key = keyOf(context, copies);
    const facts = key === null ? NO_FACTS : await new ModelFacts(database).read(key, deadline);
    return { facts, bytes: sumOf(copies) };
  } catch {
    return { facts: NO_FACTS, bytes: null };
  }
}

/** Returns what stores facts for `readKnown`. */
export function keptKnown(
  request: LoadRequest,
  context: string,
  { facts }: ModelFiles,
  database: ModelDatabase,
): Pick<PlacedFacts, "write"> {
  // A later visit looks for them before it knows the files beside the model.
  if (request.variants.length === 0) return facts.in(context, 1 + request.externalData.length);
  // They depend on the files of all providers. The cache holds those of a way that was compared.
  return {
    write: async (change) => {
      await facts.kept;
      const deadline = new Deadline(KNOWN_TIMEOUT_MS, hostTimer);
      const key = await copiesOf(request, database, deadline)
        .then((copies) => keyOf(context, copies))
        .catch(() => null);
      if (key !== null) await new ModelFacts(database).write(key, change, deadline).catch(() => undefined);
    },
  };
}

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
