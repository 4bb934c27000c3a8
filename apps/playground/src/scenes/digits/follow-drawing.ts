import { effect } from "@preact/signals";
import { FramebatchError, type BatchedModel, type PredictOptions } from "framebatch";
import type { Playground } from "../../playground.js";
import type { Digits } from "./digits.js";
import { PICTURE_SIZE, type Ink } from "./rasterize.js";
import { toReading, type Reading } from "./read-digit.js";
import { combinePoses, renderPose, type Pose } from "./variants.js";

/**
 * Requests that one follower has open at most: one that runs, one that waits, and one that is about to overtake it. With
 * batching off nothing waits on the page, so nothing could be overtaken, and without a limit the worker would drown.
 */
const MAX_OPEN = 3;

/** `key` also names the follower in the timeline. */
export type AskOptions = PredictOptions & { readonly key: string };

/** What a follower shows: a picture of the drawing, and what the model reads in it (`null`: nothing yet). */
export type Show = (picture: Float32Array, reading: Reading | null) => void;

/** The drawing as it is now. */
interface View {
  readonly ink: Ink | null;
  readonly pose: Pose;
  readonly model: BatchedModel | null;
}

/**
 * Asks the model for one pose of the drawing, and again with every change of it: one `predict` each time, of its own,
 * knowing nothing of other followers. A picture and its reading are shown together, as they arrive. Its `key` lets a
 * change overtake an older one that still waits. Returns how to stop.
 */
export function followDrawing(digits: Digits, pose: Pose, request: AskOptions, show: Show): () => void {
  const { model, comparing } = digits.playground;
  const follower = new Follower(digits.playground, request, show);
  const stop = effect(() => {
    const view = { ink: digits.ink.value, pose: combinePoses(pose, digits.pose.value), model: model.value };
    if (!comparing.value) follower.follow(view);
  });
  return () => {
    stop();
    follower.stop();
  };
}

class Follower {
  readonly #playground: Playground;
  readonly #request: AskOptions;
  readonly #show: Show;
  /** Buffers to draw into: no more than there were requests open at once. */
  readonly #free: Float32Array[] = [];
  /** A view that came while too many requests were open. */
  #next: View | null = null;
  #open = 0;
  #lastTurn = 0;
  #shownTurn = 0;

  constructor(playground: Playground, request: AskOptions, show: Show) {
    this.#playground = playground;
    this.#request = request;
    this.#show = show;
  }

  follow(view: View): void {
    const mustWait = view.ink !== null && view.model !== null && this.#open >= MAX_OPEN;
    this.#next = mustWait ? view : null;
    if (!mustWait) this.#turnTo(view);
  }

  /** Answers still to come are shown no more. */
  stop(): void {
    this.#next = null;
    this.#shownTurn = Infinity;
  }

  #turnTo({ ink, pose, model }: View): void {
    const picture = this.#free.pop() ?? new Float32Array(PICTURE_SIZE * PICTURE_SIZE);
    if (ink === null) picture.fill(0);
    else renderPose(ink, pose, picture);
    if (ink !== null && model !== null) void this.#ask(model, picture);
    else this.#present(picture, null, ++this.#lastTurn);
  }

  async #ask(model: BatchedModel, picture: Float32Array): Promise<void> {
    const turn = ++this.#lastTurn;
    this.#open++;
    try {
      const { key } = this.#request;
      const { logits } = await this.#playground.requests.ask(model, key, { image: picture }, this.#request);
      this.#present(picture, toReading(logits?.data ?? []), turn);
    } catch (error) {
      if (!isOvertaken(error)) this.#playground.reportFailure(error);
      this.#free.push(picture);
    }
    this.#open--;
    if (this.#next !== null) this.follow(this.#next);
  }

  /** Never goes back to an older drawing than the one shown. */
  #present(picture: Float32Array, reading: Reading | null, turn: number): void {
    if (turn > this.#shownTurn) {
      this.#shownTurn = turn;
      this.#show(picture, reading);
    }
    this.#free.push(picture);
  }
}

/** Overtaken by a newer request with the same `key`, or its model was replaced: ordinary while somebody draws. */
function isOvertaken(error: unknown): boolean {
  return error instanceof FramebatchError && (error.code === "SUPERSEDED" || error.code === "DISPOSED");
}
