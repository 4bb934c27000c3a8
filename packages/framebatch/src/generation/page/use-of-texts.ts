import type { GenerationStats } from "../../client/options/generation.js";
import type { Sharing, TextProgress, TextsUse } from "../generation-messages.js";

type Sums = Pick<TextsUse, "steps" | "stepped" | "prefillMs" | "decodeMs">;

const NOTHING: Sums = { steps: 0, stepped: 0, prefillMs: 0, decodeMs: 0 };

/** What texts have cost, in all workers together. */
export class UseOfTexts {
  /** In the workers before. */
  #before = NOTHING;
  /** In the worker that has them now; `null` if none has answered. */
  #now: TextsUse | null = null;
  #tokens = 0;

  get sharing(): Sharing | null {
    return this.#now?.sharing ?? null;
  }

  answered(use: TextsUse, progress: readonly TextProgress[]): void {
    this.#now = use;
    for (const { tokens } of progress) this.#tokens += tokens.length;
  }

  /** Another worker goes on. */
  forget(): void {
    this.#before = added(this.#before, this.#now);
    this.#now = null;
  }

  stats(): Omit<GenerationStats, "running" | "waiting"> {
    const { steps, stepped, ...times } = added(this.#before, this.#now);
    const { sharing } = this;
    const batchSize = steps === 0 ? 0 : stepped / steps;
    return { tokens: this.#tokens, steps, batchSize, ...times, cacheBytes: this.#now?.cacheBytes ?? 0, sharing };
  }
}

function added(one: Sums, other: Sums | null): Sums {
  if (other === null) return one;
  return {
    steps: one.steps + other.steps,
    stepped: one.stepped + other.stepped,
    prefillMs: one.prefillMs + other.prefillMs,
    decodeMs: one.decodeMs + other.decodeMs,
  };
}
