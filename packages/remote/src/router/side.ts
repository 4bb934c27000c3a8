import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import type { Origin } from "@framebatch/batcher/queue/request.js";
import type { Outage } from "./outage.js";

/** The part of a `Batcher` that the router uses. */
export type SideQueue<Item, Result> = Readonly<
  Pick<
    Batcher<Item, Result>,
    | "enqueue"
    | "take"
    | "discard"
    | "supersede"
    | "predictMs"
    | "flush"
    | "resetStats"
    | "dispose"
    | "disposedWith"
    | "streamRoom"
  >
>;

/** One of the two places that answer requests, once it has the model. */
export interface Side<Item, Result> {
  readonly origin: Origin;
  readonly queue: SideQueue<Item, Result>;
  /** Whether it would run a request now. */
  readonly isReady: boolean;
  /** Whether a request may wait for it if no side is ready. */
  readonly isUsable: boolean;
  /**
   * Whether what waits in its queue should leave it for a side that is ready: it has failed, and not answered since.
   */
  readonly isAvoided: boolean;
  /**
   * When it last answered a request, in milliseconds; `-Infinity` if it never has. The device replaces hung workers
   * itself, and always returns `Infinity`.
   */
  readonly answeredAtMs: number;
  /** Returns the predicted time from now to the result of a request that it gets now, in milliseconds. */
  predictMs(item: Item): number;
  /** Returns the error if the other side may answer in spite of it, otherwise `null`. */
  failureIn(error: unknown): FramebatchError | null;
  /** Notes a request that is sent to it. */
  sent(request: object): void;
  /** Notes that a request has its result. */
  answered(): void;
  /** Notes that a request has no result. @param failure as returned by `failureIn` */
  ended(request: MadeRequest, failure: FramebatchError | null): void;
}

/** The states of a model in workers. */
export type DeviceState = "ready" | "recovering" | "unloaded" | "failed" | "disposed";

/** A request, as far as a side looks at it. */
export interface MadeRequest {
  /** `sinceMs` is when its caller made it, in milliseconds. */
  readonly options: { readonly sinceMs: number };
}

/** Errors of the request itself: no other side would help. */
const OF_REQUEST: readonly ErrorCode[] = ["TIMED_OUT", "SUPERSEDED", "DISPOSED"];

/** Errors of an item on the device. A server need not have the limits of JSON or the same version of the model. */
const OF_ITEM: readonly ErrorCode[] = ["INVALID_INPUT", "INFERENCE_FAILED"];

/**
 * Returns the side of the model in this page's workers.
 * @param startMs how long it took to load the model, in milliseconds
 */
export function deviceSide<Item, Result>(
  model: { readonly batcher: SideQueue<Item, Result>; readonly state: DeviceState },
  startMs: number,
): Side<Item, Result> {
  return {
    origin: "device",
    queue: model.batcher,
    get isReady() {
      return model.state === "ready";
    },
    get isUsable() {
      return model.state === "ready" || model.state === "recovering";
    },
    isAvoided: false,
    answeredAtMs: Infinity,
    predictMs: (item) => model.batcher.predictMs(item) + (model.state === "ready" ? 0 : startMs),
    failureIn: (error) => failureOtherThan([...OF_REQUEST, ...OF_ITEM], error),
    sent: () => undefined,
    answered: () => undefined,
    ended: () => undefined,
  };
}

/** Returns the side of the model on its server. */
export function serverSide<Item, Result>(queue: SideQueue<Item, Result>, outage: Outage): Side<Item, Result> {
  return {
    origin: "server",
    queue,
    get isReady() {
      return outage.mayTry;
    },
    get isUsable() {
      return outage.mayTry;
    },
    get isAvoided() {
      return outage.error !== null || !outage.mayTry;
    },
    get answeredAtMs() {
      return outage.answeredAtMs;
    },
    predictMs: (item) => queue.predictMs(item),
    failureIn: (error) => failureOtherThan(OF_REQUEST, error),
    sent: (request) => outage.sent(request),
    answered: () => outage.answered(),
    ended: (request, failure) => {
      const hasAnswered = outage.answeredAtMs > request.options.sinceMs;
      if (failure !== null && isOfServer(failure, hasAnswered)) outage.failed(request, failure);
      else outage.ended(request);
    },
  };
}

function failureOtherThan(codes: readonly ErrorCode[], error: unknown): FramebatchError | null {
  return error instanceof FramebatchError && !codes.includes(error.code) ? error : null;
}

/**
 * Returns whether a failure would meet other requests too.
 * @param hasAnswered whether the server has answered another request since the one that failed was made
 */
function isOfServer({ code, details }: FramebatchError, hasAnswered: boolean): boolean {
  // The other items of its batch were answered.
  if (details["isNull"] === true) return false;
  if (code !== "REMOTE_STATUS") return code.startsWith("REMOTE_");
  const { blames } = statusTraits(Number(details["status"]));
  return blames === "server" || (blames === "unclear" && !hasAnswered);
}
