import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { ModelCache } from "../../store/model-cache.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { type FactsKey, ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { ModelFiles } from "./model-files.js";
import { contextOf, factsKeyOf, type PlacedFacts } from "./model-profile.js";

/** How long a load waits for what is known of its ways, in milliseconds. */
const TIMEOUT_MS = 500;

/** The version of this package, from its package.json. The build inserts it. */
declare const FRAMEBATCH_VERSION: string;

/** Returns what stores what is known of the ways to run a model. @param context see `waysContext` */
export function keptWays(
  request: LoadRequest,
  context: string,
  { facts }: ModelFiles,
  database: ModelDatabase,
): Pick<PlacedFacts, "write"> {
  if (request.variants.length === 0) return facts.in(context);
  // What is best depends on the files of all providers. The cache holds those of a way that was compared.
  return {
    write: async (change) => {
      await facts.kept;
      const deadline = new Deadline(TIMEOUT_MS, hostTimer);
      const key = await keyOf(request, context, database, deadline).catch(() => null);
      if (key !== null) await new ModelFacts(database).write(key, change, deadline).catch(() => undefined);
    },
  };
}

/**
 * Returns what earlier visits have measured of the model at these addresses; `null` if nothing. It need not be the version
 * that the server has now: the digest is that of the cached copy.
 * @param context see `waysContext`
 */
export async function readKnownWays(
  request: LoadRequest,
  context: string,
  database: ModelDatabase,
): Promise<WayRecord | null> {
  const deadline = new Deadline(TIMEOUT_MS, hostTimer);
  try {
    const key = await keyOf(request, context, database, deadline);
    return key === null ? null : (await new ModelFacts(database).read(key, deadline)).ways;
  } catch {
    return null;
  }
}

/** Returns the context of facts about the ways to run: what decides which one is best, besides the model. */
export function waysContext(request: LoadRequest, adapter: string | null): Promise<string> {
  const { userAgent, hardwareConcurrency } = navigator;
  const device = [userAgent, hardwareConcurrency, globalThis.crossOriginIsolated, adapter];
  const { sessionOptions, providerOptions, agreement } = request;
  const files = request.variants.map(({ provider, externalData }) => [provider, externalData.length]);
  return contextOf(["ways", FRAMEBATCH_VERSION, device, sessionOptions, providerOptions, agreement, files]);
}

/** Returns the key by the digests of all files, of every provider; `null` if the cache does not hold all of them. */
async function keyOf(
  request: LoadRequest,
  context: string,
  database: ModelDatabase,
  deadline: Deadline,
): Promise<FactsKey | null> {
  const cache = new ModelCache(database);
  const sets = request.variants.length > 0 ? request.variants : [request];
  const places = sets.flatMap(({ location, externalData }) => [location, ...externalData.map((file) => file.location)]);
  const digests = places.map(async (place) =>
    "url" in place ? ((await cache.find(place.url, deadline))?.sha256 ?? null) : place.sha256,
  );
  return factsKeyOf(context, await Promise.all(digests));
}
