import type { Deadline } from "@framebatch/host/deadline.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { ModelCache } from "../../store/model-cache.js";
import type { ModelDatabase } from "../../store/model-database.js";
import type { FactsKey } from "../../store/model-facts.js";
import { factsKeyOf } from "./model-profile.js";

/** A file that is cached or given. `sha256` is `null` if it has not been computed. */
interface Copy {
  readonly sha256: string | null;
  readonly bytes: number;
}

/** Returns all files, of every provider; `null` for one that is neither cached nor given. */
export function copiesOf(request: LoadRequest, database: ModelDatabase, deadline: Deadline): Promise<(Copy | null)[]> {
  const cache = new ModelCache(database);
  const sets = request.variants.length > 0 ? request.variants : [request];
  const places = sets.flatMap(({ location, externalData }) => [location, ...externalData.map((file) => file.location)]);
  return Promise.all(
    places.map(async (place) =>
      "url" in place ? cache.find(place.url, deadline) : { sha256: place.sha256, bytes: place.blob.size },
    ),
  );
}

/** Returns the size of all files, in bytes; `null` if one of them is neither cached nor given. */
export function sumOf(copies: readonly (Copy | null)[]): number | null {
  return copies.reduce<number | null>((sum, copy) => (copy === null || sum === null ? null : sum + copy.bytes), 0);
}

/** Returns the key by the digests of all files; `null` if one is not known. */
export function keyOf(context: string, copies: readonly (Copy | null)[]): FactsKey | null {
  return factsKeyOf(
    context,
    copies.map((copy) => copy?.sha256 ?? null),
  );
}
