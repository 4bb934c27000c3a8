import type { Batch, Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import type { EventLoop } from "../run/event-loop.js";
import type { Random } from "../model/random.js";
import { ENGINE_ERROR, POISON_ERROR } from "./engine-error.js";
import { type FuzzRequest, oracle } from "./fuzz-request.js";
import type { Faults } from "./faults.js";
import type { Scenario } from "./scenario.js";
import type { Witness } from "./checks/witness.js";

const HANG_MS = 60_000;

interface Job {
  readonly batch: Batch<FuzzRequest>;
  readonly done: (outcome: Outcome<number>) => void;
}

/**
 * An engine that throws, runs slowly, fails batches, parts and items, and returns too few results, at the scenario's
 * rates.
 */
export class FaultyEngine implements Engine<FuzzRequest, number> {
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #scenario: Scenario;
  readonly #faults: Faults;
  readonly #devices: number;
  readonly #witness: Witness;
  readonly #waiting: Job[] = [];
  #running = 0;

  constructor(loop: EventLoop, random: Random, scenario: Scenario, witness: Witness, faults: Faults) {
    this.#loop = loop;
    this.#random = random;
    this.#scenario = scenario;
    this.#faults = faults;
    this.#devices = scenario.batcher.engines;
    this.#witness = witness;
  }

  run(batch: Batch<FuzzRequest>, done: (outcome: Outcome<number>) => void): void {
    this.#witness.started(batch);
    try {
      this.#faults.maybe(ENGINE_ERROR);
    } catch (error) {
      this.#witness.ended(batch, { error: ENGINE_ERROR, divisible: true });
      throw error;
    }
    this.#waiting.push({ batch, done });
    this.#startNext();
  }

  #startNext(): void {
    if (this.#running === this.#devices) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running++;
    this.#loop.at(this.#loop.now() + this.#runMs(job.batch.paddedSize), () => this.#finish(job));
  }

  #runMs(rows: number): number {
    const { fixedMs, perRowMs, noise, slowRate, hangRate } = this.#scenario.engine;
    const exactMs = fixedMs + perRowMs * rows;
    const hungMs = hangRate > 0 && this.#random() < hangRate ? HANG_MS : 0;
    return hungMs + exactMs * (1 + noise * (2 * this.#random() - 1)) * (this.#random() < slowRate ? 10 : 1);
  }

  #finish({ batch, done }: Job): void {
    this.#running--;
    this.#startNext();
    const outcome = this.#outcome(batch);
    this.#witness.ended(batch, outcome);
    done(outcome);
  }

  #outcome({ items }: Batch<FuzzRequest>): Outcome<number> {
    const { failRate, fatalRate, wrongLengthRate, itemErrorRate } = this.#scenario.engine;
    if (items.some((item) => item.isPoison))
      return { error: POISON_ERROR, divisible: true, isRepeatable: this.#scenario.culprits.isRepeatable };
    const draw = this.#random();
    if (draw < failRate) return { error: ENGINE_ERROR, divisible: true };
    if (draw < failRate + fatalRate) return { error: ENGINE_ERROR, divisible: false };
    const results = items.map((item) => (this.#random() < itemErrorRate ? ENGINE_ERROR : oracle(item.content)));
    if (draw > 1 - wrongLengthRate) results.pop();
    return { results };
  }
}
