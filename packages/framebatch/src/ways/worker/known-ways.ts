import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { VERSION } from "../../transport/version.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { ModelFiles } from "../../worker/files/model-files.js";
import { copiesOf, keyOf, sumOf, contextOf, type PlacedFacts } from "../../worker/files/model-profile.js";
import { type ExecutionProvider, traitsOf, type ProviderCheck } from "../../transport/providers.js";

/** How long a load waits for what is known of its ways, or of a provider, in milliseconds. */
const KNOWN_TIMEOUT_MS = 500;

/** Returns what stores what is known of the ways to run a model. @param context see `waysContext` */
export function keptWays(
  request: LoadRequest,
  context: string,
  { facts }: ModelFiles,
  database: ModelDatabase,
): Pick<PlacedFacts, "write"> {
  // A later visit looks for them before it knows the files beside the model.
  if (request.variants.length === 0) return facts.in(context, 1 + request.externalData.length);
  // What is best depends on the files of all providers. The cache holds those of a way that was compared.
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

/** What is known of a model before its files are read. */
export interface KnownModel {
  /** What earlier visits have measured; `null` if nothing. */
  readonly ways: WayRecord | null;
  /** Size of all its files, of every provider; `null` if one of them is neither cached nor given. */
  readonly bytes: number | null;
}

export const NOTHING_KNOWN: KnownModel = { ways: null, bytes: null };

/**
 * Returns what is known of the model at these addresses. It need not be the version that the server has now: what is known
 * is that of the cached copy.
 * @param context see `waysContext`
 */
export async function readKnown(request: LoadRequest, context: string, database: ModelDatabase): Promise<KnownModel> {
  const deadline = new Deadline(KNOWN_TIMEOUT_MS, hostTimer);
  try {
    const copies = await copiesOf(request, database, deadline);
    const key = keyOf(context, copies);
    const ways = key === null ? null : (await new ModelFacts(database).read(key, deadline)).ways;
    return { ways, bytes: sumOf(copies) };
  } catch {
    return NOTHING_KNOWN;
  }
}

/** Returns the context of facts about the ways to run: what decides which one is best, besides the model. */
export function waysContext(request: LoadRequest, adapter: string | null): Promise<string> {
  const { userAgent, hardwareConcurrency } = navigator;
  const device = [userAgent, hardwareConcurrency, globalThis.crossOriginIsolated, adapter];
  const { sessionOptions, providerOptions, agreement, outputs } = request;
  const files = request.variants.map(({ provider, externalData }) => [provider, externalData.length]);
  const own = outputs === undefined ? [] : [outputs];
  return contextOf(["ways", VERSION, device, sessionOptions, providerOptions, agreement, files, ...own]);
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
  const deadline = new Deadline(KNOWN_TIMEOUT_MS, hostTimer);
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
