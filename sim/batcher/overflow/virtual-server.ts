import type { Batch, Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { randomAt } from "../model/random.js";
import type { EventLoop } from "../run/event-loop.js";
import type { SimRequest } from "../run/sim-request.js";

/** A server, and the way to it. */
export interface ServerSettings {
  /** Mean time of the network for one request, in both directions together, in milliseconds. */
  readonly roundTripMs: number;
  /** Run time of a batch in milliseconds. */
  readonly costMs: (rows: number) => number;
  /** Whether the server is down at a time, in milliseconds. */
  readonly isDown: (atMs: number) => boolean;
  readonly seed: number;
}

/** Share by which the time of the network varies. */
const JITTER = 0.25;

/** A server that runs all batches in parallel. While it is down, the network refuses connections after half a round trip. */
export class VirtualServer implements Engine<SimRequest, number> {
  readonly #loop: EventLoop;
  readonly #settings: ServerSettings;
  #requests = 0;

  constructor(loop: EventLoop, settings: ServerSettings) {
    this.#loop = loop;
    this.#settings = settings;
  }

  run({ items }: Batch<SimRequest>, done: (outcome: Outcome<number>) => void): void {
    const { costMs, isDown } = this.#settings;
    const wayMs = this.#wayMs();
    const arrivesAtMs = this.#loop.now() + wayMs;
    const runMs = costMs(items.length);
    const isLost = isDown(arrivesAtMs) || isDown(arrivesAtMs + runMs);
    const error = new FramebatchError("REMOTE_UNREACHABLE", "down");
    if (isLost) this.#loop.at(arrivesAtMs + wayMs, () => done({ error, divisible: false }));
    else
      this.#loop.at(arrivesAtMs + runMs + wayMs, () =>
        done({ results: items.map(({ id }) => id), inferenceMs: 2 * wayMs + runMs }),
      );
  }

  #wayMs(): number {
    const { roundTripMs, seed } = this.#settings;
    return (roundTripMs / 2) * (1 + JITTER * (2 * randomAt(seed, this.#requests++) - 1));
  }
}
