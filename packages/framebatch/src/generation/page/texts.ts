import {
  followsPriority,
  type SignalRequest,
  SignalRequests,
  withPriorityOf,
} from "@framebatch/batcher/calls/abortable.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import { rankOf } from "@framebatch/batcher/queue/request.js";
import { queueFull, superseded, timedOut } from "@framebatch/batcher/requests/request-errors.js";
import type { Timer } from "@framebatch/host/clock.js";
import { settled } from "@framebatch/host/microtask.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import type { GenerationStats } from "../../client/options/generation.js";
import type { PendingRun, Run, RunResult } from "../../client/workers/pending-runs.js";
import type { TextProgress, TextsAnswer, TextsRequest } from "../generation-messages.js";
import { chooseTexts, type QueuedText, type TextLimits } from "./page-text.js";
import { UseOfTexts } from "./use-of-texts.js";

/** The part of a worker that runs texts. */
export interface TextsClient {
  /** The run that it executed when it ended; `null` if there was none. */
  readonly interrupted: PendingRun | null;
  run(request: TextsRequest, transfer: Transferable[], run: PendingRun): Promise<RunResult>;
}

/** A run of texts, as a `Run` of the workers of a model. */
export interface TextsRun extends Omit<Run, "runOn"> {
  readonly runOn: (client: TextsClient, run: PendingRun) => Promise<RunResult>;
}

/** Where the texts of a model run. */
export interface TextsPlace {
  /** @throws why no worker can run anything */
  readonly run: (run: TextsRun) => Promise<RunResult>;
  readonly timer: Timer;
  readonly limits: TextLimits;
  /** Maximum number of texts that wait. */
  readonly maxQueueSize: number;
  /** Called at each run. */
  readonly onUse: () => void;
}

/**
 * Number of workers that may end in runs with a text before it runs alone. Something else may have ended the first one.
 */
const MAX_LOSSES = 2;

/** A run that was begun. Neither promise rejects. */
interface RunUnderWay {
  /** Resolves when a worker has it, or it is done. */
  readonly whenSent: Promise<void>;
  readonly whenDone: Promise<void>;
}

/**
 * The open texts of a model. While there are some, one run follows another: each takes the texts that have a place,
 * makes some steps, and returns their tokens. A worker that is lost has them again from the page, with all tokens so
 * far.
 */
export class Texts {
  readonly #place: TextsPlace;
  /** In the order of their calls. */
  readonly #open = new Map<number, QueuedText>();
  /** The texts that the worker has. */
  #sent = new Set<number>();
  /** The worker that has them. */
  #client: TextsClient | null = null;
  readonly #use = new UseOfTexts();
  #isRunning = false;

  constructor(place: TextsPlace) {
    this.#place = place;
  }

  /** Adds a text, which settles in any case. */
  add(queued: QueuedText, options: PredictOptions): void {
    const { text, sent, key } = queued;
    const { maxQueueSize, limits } = this.#place;
    const most = limits.maxTexts + maxQueueSize;
    const older = key === undefined ? undefined : [...this.#open.values()].find((other) => other.key === key);
    if (older !== undefined) older.text.reject(superseded(older.key!));
    // Counted only where it may matter: there may be thousands of texts.
    else if (this.#open.size >= most && this.#active.length >= most)
      return text.reject(queueFull(this.#active.length - limits.maxTexts, maxQueueSize));
    queued.rank = rankOf(withPriorityOf(options.signal, options).priority);
    this.#open.set(sent.id, queued);
    text.whenSettled(() => {
      this.#open.delete(sent.id);
      // A text that was paused has its place until a run tells the worker.
      void this.#run();
    });
    text.whenResumed(() => void this.#run());
    this.#follow(queued, options);
    void this.#run();
  }

  /**
   * Rejects all texts, once no worker can be had: also those that wait for their encoder, for which there is no run.
   */
  async end(): Promise<void> {
    await this.#runOnce({ whenSent: settled, whenDone: settled }, () => undefined);
  }

  /** Begins a text whose encoder has answered. */
  ready(): void {
    void this.#run();
  }

  /** Whether a text wants tokens. A paused one waits for its loop, which may never go on. */
  get isBusy(): boolean {
    return this.#active.length > 0;
  }

  /** Called when the worker has ended, and all caches with it. The next run sends all its texts. */
  forget(): void {
    this.#sent = new Set();
    this.#client = null;
    this.#use.forget();
  }

  stats(): GenerationStats {
    const running = [...this.#open].filter(([id, { text }]) => this.#sent.has(id) && !text.isPaused).length;
    return { running, waiting: this.#open.size - running, ...this.#use.stats() };
  }

  /** Ends a text that is aborted or late, and keeps its priority. */
  #follow(queued: QueuedText, options: PredictOptions): void {
    const { text } = queued;
    const { signal, timeoutMs } = options;
    const { timer } = this.#place;
    if (signal !== undefined) {
      const requests = SignalRequests.of(signal);
      const follower: SignalRequest = {
        abort: (reason) => text.reject(reason),
        prioritise(priority) {
          if (followsPriority(signal, options)) queued.rank = rankOf(priority);
        },
      };
      requests.add(follower);
      text.stopWith(signal);
      text.whenSettled(() => requests.delete(follower));
    }
    if (timeoutMs === undefined) return;
    const enqueuedAtMs = timer.now();
    const timeoutAtMs = enqueuedAtMs + timeoutMs;
    text.whenSettled(timer.schedule(timeoutAtMs, () => text.reject(timedOut({ timeoutAtMs, enqueuedAtMs }))));
  }

  /**
   * Makes runs while texts go on, or the worker has some that have ended here. Two are in flight, so that the worker
   * never waits for the page.
   */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // All calls of a task take part in the first run.
    await settled;
    let last: RunUnderWay = { whenSent: settled, whenDone: settled };
    while (this.#hasWork) {
      const before = last;
      last = this.#begin(before);
      await before.whenDone;
      if (!this.#hasWork) await last.whenDone;
    }
    this.#isRunning = false;
  }

  #begin(earlier: RunUnderWay): RunUnderWay {
    let onSent = (): void => undefined;
    const whenSent = new Promise<void>((resolve) => (onSent = resolve));
    return { whenSent, whenDone: this.#runOnce(earlier, onSent).finally(onSent) };
  }

  /** Never rejects: what fails rejects its texts. */
  async #runOnce(earlier: RunUnderWay, onSent: () => void): Promise<void> {
    let texts: readonly QueuedText[] = [];
    let worker: TextsClient | null = null;
    this.#place.onUse();
    try {
      const result = await this.#place.run({
        runOn: async (client, pending) => {
          await earlier.whenSent;
          // Another worker must not make the tokens once more that the run before may return.
          if (client !== this.#client) await earlier.whenDone;
          worker = client;
          const chosen = this.#chosen();
          texts = chosen.filter(({ text }) => !text.isPaused);
          const running = client.run(this.#requestFor(client, chosen), [], pending);
          onSent();
          try {
            return await running;
          } catch (error) {
            if (client.interrupted === pending) for (const text of texts) text.losses += 1;
            throw error;
          }
        },
        mayRepeat: true,
        size: Math.max(1, this.#open.size),
        isStep: false,
        isDivided: false,
        predictedMs: null,
        timeoutMs: 0,
      });
      if (!result.ok) this.#failed(texts, result.error);
      // Another worker may have got the texts meanwhile, and makes the same tokens.
      else if (worker === this.#client && "progress" in result.reply) this.#answered(result.reply);
    } catch (error) {
      this.forget();
      for (const { text } of this.#open.values()) text.reject(error);
    }
  }

  /** The texts that are not paused. */
  get #active(): readonly QueuedText[] {
    return [...this.#open.values()].filter(({ text }) => !text.isPaused);
  }

  get #hasWork(): boolean {
    return this.#active.some(({ given }) => given !== null) || [...this.#sent].some((id) => !this.#open.has(id));
  }

  /** The texts that can run, or have a place. */
  get #ready(): readonly QueuedText[] {
    const all = [...this.#open.values()];
    return all.filter(({ given, text, sent }) => given !== null && (!text.isPaused || this.#sent.has(sent.id)));
  }

  #chosen(): readonly QueuedText[] {
    const all = this.#ready;
    // Each runs alone until it has got a token, so that one harms no other.
    const suspect = all.find(({ losses, text }) => losses >= MAX_LOSSES && !text.isPaused);
    if (suspect !== undefined) return [suspect];
    const { limits } = this.#place;
    const maxTexts = this.#use.sharing === "alone" ? 1 : limits.maxTexts;
    const joinsTogether = this.#use.sharing === "equal";
    return chooseTexts(all, ({ sent }) => this.#sent.has(sent.id), { ...limits, maxTexts }, joinsTogether);
  }

  #requestFor(client: TextsClient, chosen: readonly QueuedText[]): TextsRequest {
    if (client !== this.#client) this.forget();
    this.#client = client;
    const open = chosen.filter(({ text }) => !text.isSettled);
    const joining = open.filter(({ sent }) => !this.#sent.has(sent.id));
    this.#sent = new Set(open.map(({ sent }) => sent.id));
    return {
      texts: [...this.#sent],
      joining: joining.map(({ sent, given, prompt, text }) => ({
        ...sent,
        given: given?.tensors ?? {},
        tokens: [...prompt, ...text.tokens],
      })),
      paused: open.filter(({ text }) => text.isPaused).map(({ sent }) => sent.id),
      isCrowded: open.length < this.#ready.length,
    };
  }

  #answered({ progress, use }: TextsAnswer): void {
    this.#use.answered(use, progress);
    for (const own of progress) this.#advance(own);
  }

  #advance({ id, tokens, end, error }: TextProgress): void {
    if (end !== null || error !== null) this.#sent.delete(id);
    // A text that was aborted meanwhile is no longer open.
    const queued = this.#open.get(id);
    if (queued === undefined) return;
    const { text } = queued;
    queued.losses = 0;
    text.push(tokens);
    if (end !== null) text.resolve(end);
    if (error !== null) text.reject(decodeError(error));
  }

  /** A run has failed as a whole: has ended workers, or could not be sent. A text that was alone is to blame. */
  #failed(texts: readonly QueuedText[], error: unknown): void {
    this.forget();
    const [first, ...others] = texts;
    if (first !== undefined && others.length === 0) first.text.reject(error);
    else for (const text of texts) text.losses = MAX_LOSSES;
  }
}
