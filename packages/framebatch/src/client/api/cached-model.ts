import { importOnDemand } from "./on-demand.js";

/** A model, or a file of weights beside one, that the cache of this origin holds. */
export interface CachedModel {
  /** Where it came from, whole: a query string may hold secrets, so do not show or log it unread. */
  readonly url: string;
  readonly bytes: number;
  readonly storedAt: Date;
  readonly lastUsedAt: Date;
  /** By which versions of the file are told apart: ETag, date and length. `null`: it is downloaded again each time. */
  readonly validator: string | null;
  /** Digest of the bytes, fit for the option `integrity`. */
  readonly integrity: string;
}

/** What the cache holds, the last used first. @throws CACHE_FAILED where it does not work, within 2 seconds. */
export async function listCachedModels(): Promise<CachedModel[]> {
  return (await importCode()).listModels();
}

/**
 * Removes the model of one address, or all of them, and what was learned of them. Models in use are not harmed.
 * @throws INVALID_OPTION; CACHE_FAILED where it does not work, within 2 seconds.
 */
export async function clearModelCache(url?: string | URL): Promise<void> {
  return (await importCode()).clearModels(url);
}

function importCode(): Promise<typeof import("./cached-models.js")> {
  return importOnDemand(() => import("./cached-models.js"));
}
