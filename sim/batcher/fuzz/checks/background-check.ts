import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { AGED_AFTER_MS } from "@framebatch/batcher/queue/request-queue.js";
import { BACKGROUND } from "@framebatch/batcher/queue/request.js";
import { FRAME_MS } from "../../run/virtual-frames.js";
import type { FuzzRequest } from "../fuzz-request.js";
import type { Scenario } from "../scenario.js";
import { hold } from "./violation.js";

/** A prediction does not distinguish times that differ by less than this share. */
const SAME_SHARE = 0.1;
/** No timer is set for a shorter time. */
const ROUNDING_MS = 0.05 + 1e-6;

interface Flight {
  readonly runMs: number;
  readonly backgroundMs: number;
  /** Whether its time was known exactly at its dispatch. */
  readonly isKnown: boolean;
}

/**
 * I-21: for an urgent request, the background requests that run between its arrival and its own run take at most a frame
 * together, or as long as one item. Counts what the engine really takes, in scenarios in which predictions are exact:
 * from the time on at which runs of two sizes have shown the cost of a row.
 */
export class BackgroundCheck {
  readonly #scenario: Scenario;
  readonly #isExact: boolean;
  readonly #flights = new Map<Batch<FuzzRequest>, Flight>();
  readonly #before = new Map<FuzzRequest, number>();
  readonly #sizes = new Set<number>();
  #totalMs = 0;
  #startedAtMs = 0;

  constructor(scenario: Scenario) {
    const { batcher, engine, items, page, throwRate, traffic } = scenario;
    const { failRate, fatalRate, wrongLengthRate, itemErrorRate, slowRate, hangRate, noise } = engine;
    const faults = [failRate, fatalRate, wrongLengthRate, itemErrorRate, slowRate, hangRate, noise, throwRate];
    const rates = [...faults, items.poisonRate, page.flipRate, page.jumpRate, traffic.moveRate];
    const isPlain = !items.isRagged && batcher.engines === 1 && !batcher.dedupe && batcher.release !== "off";
    this.#scenario = scenario;
    this.#isExact = isPlain && rates.every((rate) => rate === 0);
  }

  arrived(request: FuzzRequest, nowMs: number): void {
    if (this.#isExact && this.#isKnown) this.#before.set(request, this.#totalMs - this.#leftMs(nowMs));
  }

  started(batch: Batch<FuzzRequest>, waiting: ReadonlySet<FuzzRequest>, nowMs: number): void {
    if (!this.#isExact) return;
    if (this.#flights.size === 0) this.#startedAtMs = nowMs;
    const urgent = batch.items.filter(({ rank }) => rank < BACKGROUND);
    const runMs = this.#runMs(batch.items.length);
    const backgroundMs = runMs - (urgent.length > 0 ? this.#runMs(urgent.length) : 0);
    const flight = { runMs, backgroundMs, isKnown: this.#sizes.size > 1 };
    this.#flights.set(batch, flight);
    this.#totalMs += flight.backgroundMs;
    // The turn of an aged request is beyond the bound. Those that it delays are no longer looked at.
    if (isTurnOfAged(batch.items, urgent, waiting, nowMs)) this.#before.clear();
    for (const request of urgent) this.#check(request.id, this.#totalMs - (this.#before.get(request) ?? Infinity));
    // An urgent request could arrive now.
    if (this.#isKnown && urgent.length === 0) this.#check(-1, this.#leftMs(nowMs));
  }

  ended(batch: Batch<FuzzRequest>, nowMs: number): void {
    this.#flights.delete(batch);
    this.#startedAtMs = nowMs;
    this.#sizes.add(batch.paddedSize);
  }

  #check(id: number, waitMs: number): void {
    const boundMs = Math.max(FRAME_MS, (1 + SAME_SHARE) * this.#runMs(1));
    hold(waitMs <= boundMs + ROUNDING_MS, "I-21", () => `request ${id} waited ${waitMs} ms for background requests`);
  }

  get #isKnown(): boolean {
    return this.#sizes.size > 1 && [...this.#flights.values()].every(({ isKnown }) => isKnown);
  }

  #leftMs(nowMs: number): number {
    const doneMs = nowMs - this.#startedAtMs;
    let leftMs = 0;
    let isFirst = true;
    for (const { runMs, backgroundMs } of this.#flights.values()) {
      leftMs += isFirst ? Math.min(backgroundMs, Math.max(0, runMs - doneMs)) : backgroundMs;
      isFirst = false;
    }
    return leftMs;
  }

  #runMs(size: number): number {
    const { engine, batcher } = this.#scenario;
    const rows = batcher.allowedBatchSizes?.find((allowed) => allowed >= size) ?? size;
    return engine.fixedMs + engine.perRowMs * rows;
  }
}

function isTurnOfAged(
  items: readonly FuzzRequest[],
  urgent: readonly FuzzRequest[],
  waiting: ReadonlySet<FuzzRequest>,
  nowMs: number,
): boolean {
  const isAged = items.some(
    ({ rank, waitingSinceMs }) => rank === BACKGROUND && nowMs - waitingSinceMs >= AGED_AFTER_MS,
  );
  return isAged && (urgent.length > 0 || [...waiting].some(({ rank }) => rank < BACKGROUND));
}
