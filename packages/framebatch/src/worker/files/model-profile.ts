import type { ExecutionProvider } from "../../transport/providers.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { VERSION } from "../../transport/version.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import { digestOf } from "../../store/digest.js";
import { NO_FACTS, type Facts, type FactsKey, type ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { RULES_VERSION } from "../../verification/worker/batch-check.js";
import { ModelCache } from "../../store/model-cache.js";
import type { ModelDatabase } from "../../store/model-database.js";

const PROFILE_TIMEOUT_MS = 2000;

/** What a model runs on. Facts of one place do not hold for another. */
export interface ExecutionTarget {
  readonly provider: ExecutionProvider;
  readonly adapter: string | null;
  /** Build and version of ONNX Runtime. */
  readonly runtime: string;
  readonly numThreads: number;
}

/** Facts about one model in one place, from earlier sessions and for later ones. No method rejects. */
export interface PlacedFacts {
  read(): Promise<Facts>;
  write(change: Partial<Facts>): Promise<void>;
}

/** Facts that nothing keeps. */
const NOWHERE: PlacedFacts = { read: () => Promise.resolve(NO_FACTS), write: () => Promise.resolve() };

/**
 * Facts about the model of a request. They hold for the same bytes, options, framebatch version and check rules only.
 */
export class ModelProfileStore {
  readonly #facts: ModelFacts | null;
  /** Everything that decides what a check compares and a run costs, but for the samples. */
  readonly #options: readonly unknown[];
  readonly #timer: Timer;
  readonly #known: readonly (string | null)[];
  /** See the constructor. */
  readonly kept: Promise<readonly (string | null)[]>;

  /**
   * @param facts `null` if there is no cache
   * @param known digests of the model and its external files; `null` for a file whose digest is unknown
   * @param kept digests under which the cache holds the files in the end; `null` for a file that it does not hold
   */
  constructor(
    facts: ModelFacts | null,
    request: LoadRequest,
    timer: Timer,
    known: readonly (string | null)[],
    kept: Promise<readonly (string | null)[]>,
  ) {
    const { batchAxis, recurrent, outputs, padding, rebatch, sessionOptions, providerOptions } = request;
    const { maxBatchSize, allowedBatchSizes } = request;
    const runs = [maxBatchSize, allowedBatchSizes];
    this.#facts = facts;
    const named = [recurrent, outputs].filter((names) => names !== undefined);
    this.#options = [batchAxis, padding, rebatch, sessionOptions, providerOptions, ...runs, ...named];
    this.#timer = timer;
    this.#known = known;
    this.kept = kept;
  }

  /** @param items the user's items that a check compares; empty if it compares generated ones */
  async at(place: ExecutionTarget, items: readonly unknown[]): Promise<PlacedFacts> {
    if (this.#facts === null) return NOWHERE;
    const rules = [VERSION, RULES_VERSION];
    const context = await contextOf([place, rules, this.#options, items]);
    return {
      read: () => this.#read(context),
      write: (change) => this.#write(context, change),
    };
  }

  /**
   * Returns the facts in a context that the caller knows whole.
   * @param count number of files, the model first, of which they are
   */
  in(context: string, count: number): Pick<PlacedFacts, "write"> {
    return { write: (change) => this.#write(context, change, count) };
  }

  async #read(context: string): Promise<Facts> {
    const key = factsKeyOf(context, this.#known);
    if (this.#facts === null || key === null) return NO_FACTS;
    return this.#facts.read(key, this.#deadline()).catch(() => NO_FACTS);
  }

  async #write(context: string, change: Partial<Facts>, count?: number): Promise<void> {
    const key = factsKeyOf(context, (await this.kept).slice(0, count));
    if (key !== null) await this.#facts?.write(key, change, this.#deadline()).catch(() => undefined);
  }

  #deadline(): Deadline {
    return new Deadline(PROFILE_TIMEOUT_MS, this.#timer);
  }
}

/** Returns the key of facts; `null` if the cache does not hold all files: the facts would then never be removed. */
function factsKeyOf(context: string, [sha256, ...others]: readonly (string | null)[]): FactsKey | null {
  if (sha256 === undefined || sha256 === null || others.includes(null)) return null;
  return { sha256, context: JSON.stringify([context, others]) };
}

/** Returns the digest of what facts depend on. Options and items may hold whole files, so their bytes are digested. */
export async function contextOf(value: unknown): Promise<string> {
  const bytes: Uint8Array<ArrayBuffer>[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    // JSON writes no bigint, and `null` for every number that is not finite.
    if (typeof part === "bigint" || (typeof part === "number" && !Number.isFinite(part))) return String(part);
    const own = bytesOf(part);
    if (own === null) return part;
    bytes.push(own);
    return { type: Object.prototype.toString.call(part), length: own.byteLength };
  });
  return digestOf(new Blob([text, ...bytes]), "sha256");
}

/** Returns the bytes of a buffer or a typed array; `null` for anything else. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return null;
  return Uint8Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

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
