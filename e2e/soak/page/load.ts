import { FramebatchError, type BatchedModel, type Item, type ModelPredictOptions, type Outputs } from "framebatch";
import type { Ledger } from "../kit/ledger.js";
import type { Random } from "../kit/random.js";
import type { Oracle } from "./oracle.js";
import { KILLERS, NUMBERED_ROWS, numbered, type Killer } from "./soak-items.js";

/** Shares of requests that can be rejected, each 0 to 1. */
export interface Mix {
  /** Aborted within 40 ms: while queued, in flight, or too late. */
  readonly aborted: number;
  /** With a `timeoutMs` of less than 40 ms. */
  readonly late: number;
  /** Inputs that make the run of their batch fail. */
  readonly poison: number;
}

/** The reason for which a request may be rejected; "plain" for none. */
type Fate = keyof Mix | "plain" | "killer";

const LONGEST_LIFE_MS = 40;

/** The part of a model that `Load` uses, so that a test can plant a bug between them. */
export type Predictor = Pick<BatchedModel, "predict">;

export interface LoadParts {
  readonly model: Predictor;
  readonly oracle: Oracle;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly mix: Mix;
  /** The error codes with which any request may be rejected. */
  readonly excused: readonly string[];
  readonly onGood: () => void;
}

/**
 * Sends requests from concurrent callers, each of which makes its next request when it gets an answer, and in bursts.
 * Compares every answer with the expected one, and every rejection with the fate of its request.
 */
export class Load {
  readonly #parts: LoadParts;
  #callers = 0;
  #wanted = 0;
  /** The number of requests that callers may still make. */
  #left = 0;
  #rest: (() => void) | null = null;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  /** Makes `requests` requests with `callers` concurrent callers. Resolves when all have settled. */
  run(requests: number, callers: number): Promise<void> {
    this.#left = requests;
    this.aim(callers);
    return this.atRest();
  }

  /** Keeps `callers` callers active until the next call. With 0, callers stop after their current request. */
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

  /** Makes `requests` requests in one task. */
  burst(requests: number): void {
    for (let made = 0; made < requests; made += 1) this.#ask(false);
  }

  /** Sends one item that ends every worker. Resolves when it has been rejected. */
  async kill(by: Killer): Promise<void> {
    const id = this.#parts.ledger.opened();
    await this.#parts.model.predict(numbered(KILLERS[by])).then(
      () => this.#answered(id, false, false),
      (error: unknown) => this.#rejected(id, "killer", error, false),
    );
  }

  /** Resolves when no request is open. */
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

/** The errors with which a request may be rejected, by its fate. */
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

/** Describes an unexpected error, with code and message. */
function told(error: unknown): string {
  return error instanceof FramebatchError ? `${error.code} ${error.message}` : String(error);
}
