import { FramebatchError, type BatchedModel, type Item, type ModelPredictOptions, type Outputs } from "framebatch";
import type { Ledger } from "../kit/ledger.js";
import type { Random } from "../kit/random.js";
import type { Oracle } from "./oracle.js";
import { KILLERS, NUMBERED_ROWS, numbered, type Killer } from "./soak-items.js";

/** Shares of the requests that are made to fail, each 0 to 1. */
export interface Mix {
  /** Withdrawn within some milliseconds: queued, in flight or too late. */
  readonly aborted: number;
  /** With a `timeoutMs` of some milliseconds. */
  readonly late: number;
  /** Inputs that fail the run of their whole batch. */
  readonly poison: number;
}

/** What a request may be rejected for, if at all. */
type Fate = keyof Mix | "plain" | "killer";

const LONGEST_LIFE_MS = 40;

/** What `Load` needs of a model, so that a test can plant a bug between the two. */
export type Predictor = Pick<BatchedModel, "predict">;

export interface LoadParts {
  readonly model: Predictor;
  readonly oracle: Oracle;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly mix: Mix;
  /** Codes of errors that may befall any request. */
  readonly excused: readonly string[];
  readonly onGood: () => void;
}

/**
 * Callers that each ask again as soon as they have their answer, and bursts. Every answer is compared with the right one, and
 * every rejection with what its request has asked for.
 */
export class Load {
  readonly #parts: LoadParts;
  #callers = 0;
  #wanted = 0;
  /** Requests that callers may still make. */
  #left = 0;
  #rest: (() => void) | null = null;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  /** Makes so many requests with so many callers. Resolves when the last has settled. */
  run(requests: number, callers: number): Promise<void> {
    this.#left = requests;
    this.aim(callers);
    return this.atRest();
  }

  /** So many callers from now on, without end; 0 lets them finish. */
  keepOn(callers: number): void {
    this.#left = Infinity;
    this.aim(callers);
  }

  aim(callers: number): void {
    this.#wanted = callers;
    while (this.#callers < this.#wanted && this.#left > 0) {
      this.#callers += 1;
      this.#ask(true);
    }
  }

  /** So many requests in one task. */
  burst(requests: number): void {
    for (let made = 0; made < requests; made += 1) this.#ask(false);
  }

  /** One item that no worker survives. Resolves when it has been rejected. */
  async kill(by: Killer): Promise<void> {
    const id = this.#parts.ledger.opened();
    await this.#parts.model.predict(numbered(KILLERS[by])).then(
      () => this.#answered(id, false, false),
      (error: unknown) => this.#rejected(id, "killer", error, false),
    );
  }

  /** Resolves when nothing is open. */
  atRest(): Promise<void> {
    if (this.#parts.ledger.open === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#rest = resolve));
  }

  #ask(asCaller: boolean): void {
    this.#left -= 1;
    const id = this.#parts.ledger.opened();
    const fate = this.#fate();
    const index = id % this.#parts.oracle.items.length;
    const item = fate === "poison" ? numbered(NUMBERED_ROWS + id) : this.#parts.oracle.items[index];
    this.#predict(item ?? [], fate).then(
      (outputs) => this.#answered(id, fate !== "poison" && this.#parts.oracle.isRight(index, outputs), asCaller),
      (error: unknown) => this.#rejected(id, fate, error, asCaller),
    );
  }

  #predict(item: Item, fate: Fate): Promise<Outputs> {
    const isShort = fate === "aborted" || fate === "late";
    return isShort ? this.#parts.model.predict(item, this.#shortLife(fate)) : this.#parts.model.predict(item);
  }

  #shortLife(fate: "aborted" | "late"): ModelPredictOptions {
    const lifeMs = this.#parts.random.between(0, LONGEST_LIFE_MS);
    if (fate === "late") return { timeoutMs: lifeMs };
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("withdrawn")), lifeMs);
    return { signal: controller.signal };
  }

  #fate(): Fate {
    const { aborted, late, poison } = this.#parts.mix;
    if (aborted + late + poison === 0) return "plain";
    const drawn = this.#parts.random.next();
    if (drawn < poison) return "poison";
    if (drawn < poison + aborted) return "aborted";
    return drawn < poison + aborted + late ? "late" : "plain";
  }

  #answered(id: number, isRight: boolean, asCaller: boolean): void {
    this.#parts.ledger.answered(id, isRight);
    this.#parts.onGood();
    this.#next(asCaller);
  }

  #rejected(id: number, fate: Fate, error: unknown, asCaller: boolean): void {
    const name = nameOf(error);
    const isExcused = EXCUSES[fate].includes(name) || this.#parts.excused.includes(name);
    this.#parts.ledger.rejected(id, isExcused ? name : `${fate}: ${told(error)}`, isExcused);
    this.#next(asCaller);
  }

  #next(asCaller: boolean): void {
    if (asCaller && this.#left > 0 && this.#callers <= this.#wanted) return this.#ask(true);
    if (asCaller) this.#callers -= 1;
    if (this.#parts.ledger.open > 0) return;
    this.#rest?.();
    this.#rest = null;
  }
}

/** The errors that a request may end in, by what it has asked for. */
const EXCUSES: Readonly<Record<Fate, readonly string[]>> = {
  plain: [],
  aborted: ["withdrawn"],
  late: ["TIMED_OUT"],
  poison: ["INFERENCE_FAILED"],
  killer: ["WORKER_CRASHED", "WORKER_HUNG"],
};

function nameOf(error: unknown): string {
  if (error instanceof FramebatchError) return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** In full, for the report of what should not have happened. */
function told(error: unknown): string {
  return error instanceof FramebatchError ? `${error.code} ${error.message}` : String(error);
}
