import type { ExecutionProvider } from "../../core/providers.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { Timer } from "../../time/host-timer.js";
import { NO_FACTS, type Facts, type ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "../../time/deadline.js";
import { RULES_VERSION } from "../verify/batch-check.js";

const PROFILE_TIMEOUT_MS = 2000;

/** The version of this package, from its package.json. The build inserts it. */
declare const FRAMEBATCH_VERSION: string;

/** What a model runs on. Facts of one place do not hold for another. */
export interface ExecutionTarget {
  readonly provider: ExecutionProvider;
  readonly adapter: string | null;
  /** Build and version of ONNX Runtime. */
  readonly runtime: string;
}

/** Facts about one model in one place, from earlier sessions and for later ones. No method rejects. */
export interface PlacedFacts {
  read(): Promise<Facts>;
  write(change: Partial<Facts>): Promise<void>;
}

/**
 * Facts about the model of a request. They hold for the same bytes, options, framebatch version and check rules only.
 */
export class ModelProfileStore {
  readonly #facts: ModelFacts | null;
  readonly #options: readonly unknown[];
  readonly #timer: Timer;
  readonly #known: readonly (string | null)[];
  readonly #kept: Promise<readonly (string | null)[]>;

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
    const { batchAxis, padding, rebatch, sessionOptions, numThreads, samples } = request;
    this.#facts = facts;
    this.#options = [batchAxis, padding, rebatch, sessionOptions, numThreads, samples.length];
    this.#timer = timer;
    this.#known = known;
    this.#kept = kept;
  }

  at(place: ExecutionTarget): PlacedFacts {
    return {
      read: () => this.#read(place),
      write: (change) => this.#write(place, change),
    };
  }

  async #read(place: ExecutionTarget): Promise<Facts> {
    const key = this.#keyOf(place, this.#known);
    if (this.#facts === null || key === null) return NO_FACTS;
    return this.#facts.read(key, this.#deadline()).catch(() => NO_FACTS);
  }

  async #write(place: ExecutionTarget, change: Partial<Facts>): Promise<void> {
    const key = this.#keyOf(place, await this.#kept);
    if (key !== null) await this.#facts?.write(key, change, this.#deadline()).catch(() => undefined);
  }

  /** Returns the key of facts; `null` if the cache does not hold all files: the facts would then never be removed. */
  #keyOf(place: ExecutionTarget, [sha256, ...others]: readonly (string | null)[]) {
    if (sha256 === undefined || sha256 === null || others.includes(null)) return null;
    const rules = [FRAMEBATCH_VERSION, RULES_VERSION];
    return { sha256, context: JSON.stringify([place, rules, this.#options, others], withoutBytes) };
  }

  #deadline(): Deadline {
    return new Deadline(PROFILE_TIMEOUT_MS, this.#timer);
  }
}

/** Replaces bytes by their length, because options may contain whole files. */
function withoutBytes(_key: string, value: unknown): unknown {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === "bigint" ? String(value) : value;
}
