import type { LoadRequest, WayRecord } from "../../transport/protocol.js";
import { ModelCache } from "../../store/model-cache.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "../../time/deadline.js";
import type { Timer } from "../../time/host-timer.js";
import { contextOf, factsKeyOf } from "./model-profile.js";

/** How long a load waits for what is known of its ways, in milliseconds. */
const TIMEOUT_MS = 500;

/** The version of this package, from its package.json. The build inserts it. */
declare const FRAMEBATCH_VERSION: string;

/** Returns the context of facts about the ways to run: what decides which one is best, besides the model. */
export function waysContext({ sessionOptions, providerOptions }: LoadRequest, adapter: string | null): Promise<string> {
  const { userAgent, hardwareConcurrency } = navigator;
  const device = [userAgent, hardwareConcurrency, globalThis.crossOriginIsolated, adapter];
  return contextOf(["ways", FRAMEBATCH_VERSION, device, sessionOptions, providerOptions]);
}

/**
 * Returns what earlier visits have measured of the model at these addresses; `null` if nothing. It need not be the version
 * that the server has now: the digest is that of the cached copy.
 */
export async function readKnownWays(
  request: LoadRequest,
  adapter: string | null,
  database: ModelDatabase | null,
  timer: Timer,
): Promise<WayRecord | null> {
  if (database === null) return null;
  const { location, externalData } = request;
  const cache = new ModelCache(database);
  const deadline = new Deadline(TIMEOUT_MS, timer);
  const digestOf = async (place: LoadRequest["location"]) =>
    "url" in place ? ((await cache.find(place.url, deadline))?.sha256 ?? null) : place.sha256;
  try {
    const digests = await Promise.all([location, ...externalData.map((file) => file.location)].map(digestOf));
    const key = factsKeyOf(await waysContext(request, adapter), digests);
    return key === null ? null : (await new ModelFacts(database).read(key, deadline)).ways;
  } catch {
    return null;
  }
}
