import { randomAt } from "../batcher/model/random.js";
import type { SplitShape, StepShape } from "./scenario.js";

/** The run of a part that belongs to none: the collected parts of an empty split, and items of other callers. */
export const NOBODY = -1;

/** A value on its way: its run, and the record of every step that it passed. Equal trails mean equal ways. */
export interface Part {
  readonly run: number;
  readonly trail: string;
}

/** What a function of the caller throws for one part. */
export class PartError extends Error {
  readonly part: Part;
  readonly step: number;

  constructor(part: Part, step: number) {
    super(`${part.trail} fails in step ${step}`);
    this.part = part;
    this.step = step;
  }
}

/** The functions of a random pipeline in plain code, without time: what each step returns for a part. */
export class PlainSteps {
  readonly #seed: number;
  readonly #poisonRate: number;

  constructor(seed: number, poisonRate: number) {
    this.#seed = seed;
    this.#poisonRate = poisonRate;
  }

  /** Returns what a stage returns. */
  staged(part: Part, step: number): Part {
    return { run: part.run, trail: `${part.trail}.${step}` };
  }

  /** Returns the parts of a split. */
  parts(part: Part, step: number, { maxParts }: SplitShape): Part[] {
    const count = Math.floor(this.#chance(part, step) * (maxParts + 1));
    return Array.from({ length: count }, (_, index) => ({ run: part.run, trail: `${part.trail}[${index}]` }));
  }

  /** Returns what a collect returns for the parts of a run. */
  collected(parts: readonly Part[], step: number): Part {
    const run = Math.max(NOBODY, ...parts.map((part) => part.run));
    return { run, trail: `(${parts.map(({ trail }) => trail).join(",")}).${step}` };
  }

  /** Whether a step always fails for this part. */
  isPoison(part: Part, step: number): boolean {
    return this.#poisonRate > 0 && part.run !== NOBODY && this.#chance(part, step + 1000) < this.#poisonRate;
  }

  /** Returns the result of a whole path, or `null` if a step fails for certain. `step` is the index of its first step. */
  result(part: Part, steps: readonly StepShape[], step: number): Part | null {
    let [current, index]: [Part | null, number] = [part, step];
    for (const shape of steps) {
      if (current === null) return null;
      current = this.#stepResult(current, shape, index);
      index += stepCount(shape);
    }
    return current;
  }

  #stepResult(part: Part, shape: StepShape, step: number): Part | null {
    if (shape.kind === "inner") return this.result(part, shape.steps, step + 1);
    if (this.isPoison(part, step)) return null;
    if (shape.kind !== "split") return this.staged(part, step);
    const results = this.parts(part, step, shape).map((each) => this.result(each, shape.steps, step + 1));
    if (!results.every((result) => result !== null)) return null;
    const collectStep = step + stepCount(shape) - 1;
    const collected = this.collected(results, collectStep);
    return this.isPoison(collected, collectStep) ? null : collected;
  }

  #chance({ trail }: Part, step: number): number {
    let hash = this.#seed + step;
    for (let i = 0; i < trail.length; i++) hash = Math.imul(hash ^ trail.charCodeAt(i), 0x01000193);
    return randomAt(hash, step);
  }
}

/** Returns how many indices a step takes: a split also those of its steps and its collect, an inner pipeline its steps. */
export function stepCount(shape: StepShape): number {
  if (shape.kind === "split") return 2 + shape.steps.reduce((sum, each) => sum + stepCount(each), 0);
  if (shape.kind === "inner") return 1 + shape.steps.reduce((sum, each) => sum + stepCount(each), 0);
  return 1;
}
