import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { PRIORITIES, type Priority } from "@framebatch/batcher/queue/request.js";
import type { EventLoop } from "../run/event-loop.js";
import { exponential, type Random } from "../model/random.js";
import type { VirtualFrames } from "../run/virtual-frames.js";
import { FuzzRequest } from "./fuzz-request.js";
import type { Scenario } from "./scenario.js";
import type { Witness } from "./checks/witness.js";

const LONGEST_TIMEOUT_MS = 120;
const LONGEST_PAUSE_MS = 40;
const LONGEST_JUMP_MS = 3000;
const KEYS = 3;

/** The objects that the traffic acts on. */
export interface Stage {
  readonly loop: EventLoop;
  readonly frames: VirtualFrames;
  readonly batcher: Batcher<FuzzRequest, number>;
  readonly witness: Witness;
}

/**
 * Simulates the callers and the page of one random run: makes requests, aborts, changes priorities, hides the tab and
 * lets the clock jump.
 */
export class Traffic {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #scenario: Scenario;
  #asked = 0;
  #latest: FuzzRequest | null = null;

  constructor(stage: Stage, random: Random, scenario: Scenario) {
    this.#stage = stage;
    this.#random = random;
    this.#scenario = scenario;
    stage.witness.onSettled = () => {
      if (this.#chance(scenario.traffic.returnRate)) stage.loop.afterMicrotasks(() => this.#ask());
    };
    stage.witness.onRetry = (items) => this.#maybeAbortCulprits(items);
  }

  start(): void {
    this.#stage.loop.at(0, () => this.#task());
  }

  #task(): void {
    const { largestBurst, meanGapMs, requests } = this.#scenario.traffic;
    const burst = 1 + Math.floor(this.#random() * largestBurst);
    for (let i = 0; i < burst; i++) this.#ask();
    this.#touchLatest();
    this.#touchPage();
    const nextAtMs = this.#stage.loop.now() + exponential(this.#random, meanGapMs);
    if (this.#asked < requests) this.#stage.loop.at(nextAtMs, () => this.#task());
    else this.#stage.loop.at(nextAtMs, () => this.#calm());
  }

  #ask(): void {
    const { requests } = this.#scenario.traffic;
    if (this.#asked >= requests) return;
    const { batcher, witness } = this.#stage;
    const request = this.#draw(this.#asked++);
    witness.arrived(request);
    witness.enqueueing = request;
    request.ticket = batcher.enqueue(request, request, {
      priority: priorityAt(request.rank),
      ...(request.key !== undefined && { key: request.key }),
      ...(request.timeoutAtMs !== Infinity && { timeoutMs: request.timeoutAtMs - request.enqueuedAtMs }),
    });
    witness.enqueueing = null;
    this.#latest = request;
    this.#maybeAbort(request);
    if (this.#scenario.page.isDisposed && this.#asked === requests >> 1) this.#dispose();
  }

  #draw(id: number): FuzzRequest {
    const { items, traffic } = this.#scenario;
    const { loop, witness } = this.#stage;
    const content = items.contents === traffic.requests ? id : Math.floor(this.#random() * items.contents);
    const nowMs = loop.now();
    const timeoutMs = this.#chance(traffic.timeoutRate) ? LONGEST_TIMEOUT_MS * this.#random() : Infinity;
    return new FuzzRequest(witness, {
      id,
      content,
      shape: {
        group: items.groups === 1 ? "" : `group ${content % items.groups}`,
        extents: items.isRagged ? [content % 5 === 0 ? 0 : 8 << (content % 4)] : [],
      },
      isPoison: items.poisonRate > 0 && (content * 0.618) % 1 < items.poisonRate,
      key: this.#chance(traffic.keyRate) ? `key ${Math.floor(this.#random() * KEYS)}` : undefined,
      enqueuedAtMs: nowMs,
      timeoutAtMs: nowMs + timeoutMs,
      rank: this.#chance(traffic.priorityRate) ? (this.#chance(0.5) ? 0 : 2) : 1,
    });
  }

  /** Aborts at once or up to 40 ms later: while the request is queued, running or long settled. */
  #maybeAbort(request: FuzzRequest): void {
    if (!this.#chance(this.#scenario.traffic.abortRate)) return;
    if (this.#chance(0.3)) abort(request);
    else this.#stage.loop.at(this.#stage.loop.now() + 40 * this.#random(), () => abort(request));
  }

  #maybeAbortCulprits(items: readonly FuzzRequest[]): void {
    const { loop } = this.#stage;
    for (const item of items) {
      if (!item.isPoison || !this.#chance(this.#scenario.culprits.abortRate)) continue;
      loop.afterTask(() => abort(item));
    }
  }

  #touchLatest(): void {
    const request = this.#latest;
    if (request === null || !this.#chance(this.#scenario.traffic.moveRate)) return;
    const rank = Math.floor(3 * this.#random());
    if (request.state === "waiting") request.rank = rank;
    request.ticket?.setPriority(priorityAt(rank));
  }

  #touchPage(): void {
    const { page } = this.#scenario;
    const { loop, frames, batcher } = this.#stage;
    if (this.#chance(page.jumpRate)) loop.afterTask(() => loop.jump(LONGEST_JUMP_MS * this.#random()));
    if (this.#chance(page.flushRate)) loop.afterTask(() => batcher.flush());
    if (this.#chance(page.flipRate)) loop.afterTask(() => this.#setVisible(frames.grid() === null));
    if (this.#chance(page.pauseRate)) this.#pause();
  }

  #setVisible(visible: boolean): void {
    this.#stage.frames.setVisible(visible);
  }

  #pause(): void {
    const { loop, batcher, witness } = this.#stage;
    witness.isPaused = true;
    batcher.pause();
    loop.at(loop.now() + LONGEST_PAUSE_MS * this.#random(), () => this.#resume());
  }

  #resume(): void {
    this.#stage.witness.isPaused = false;
    this.#stage.batcher.resume();
  }

  #dispose(): void {
    const { loop, batcher, witness } = this.#stage;
    loop.afterTask(() => {
      witness.isDisposed = true;
      batcher.dispose(new FramebatchError("DISPOSED", "the run is over"));
    });
  }

  /** Ends the disturbances: shows the tab and resumes the batcher. From here on every open request must settle. */
  #calm(): void {
    this.#setVisible(true);
    this.#resume();
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#random() < probability;
  }
}

function abort(request: FuzzRequest): void {
  request.wasAborted = true;
  request.ticket?.cancel(request);
}

function priorityAt(rank: number): Priority {
  return PRIORITIES[rank] ?? "background";
}
