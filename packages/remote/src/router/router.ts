import type { Cancel, Timer } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import {
  BACKGROUND,
  OpenSet,
  type Origin,
  rankOf,
  type RequestOptions,
  type Sink,
  type Ticket,
} from "@framebatch/batcher/queue/request.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import { RoutedRequest, type RequestRouter, bothFailed, type SideFailure } from "./routed-request.js";
import type { Side } from "./side.js";

/** Share of the time that a request has left at a server, after which the device answers if the server is silent. */
const SERVER_SHARE = 0.5;

/** The settings of a router. */
export interface RouterConfig<Item> {
  readonly timer: Timer;
  /** The side that is asked first if it is ready. */
  readonly preferred: Origin;
  /** The option of this name, in milliseconds; `Infinity` for none. */
  readonly maxLatencyMs: number;
  /** Returns a copy of an item, in memory of its own. */
  readonly copyItem: (item: Item) => Item;
  /** Called before each request, so that a side that is missing can be opened. */
  readonly wake: () => void;
  /** Whether the device is still loading the model. */
  readonly isLoading: () => boolean;
}

/**
 * Sends each request to one of two batchers, the device's or the server's, and to the other one if the first fails.
 *
 * Invariants:
 * - Each request settles exactly once, and is in at most one batcher.
 * - All times of a request count from its `enqueue` here, on whichever side it runs.
 * - Of the requests with one key, at most the newest is queued.
 */
export class Router<Item, Result> implements ModelQueue<Item, Result>, RequestRouter<Item, Result> {
  readonly #config: RouterConfig<Item>;
  readonly #newest = new Map<string, RoutedRequest<Item, Result>>();
  readonly #room: RoutedRoom<Item, Result>;
  #requests = 0;
  /** Requests that the server has failed, and that wait for the device to load. */
  readonly #waiting = new Set<RoutedRequest<Item, Result>>();
  /** Requests on the device that the server has not failed, oldest first. */
  readonly #onDevice = new OpenSet<RoutedRequest<Item, Result>>();
  /** Requests on the server that the device has not failed, oldest first. */
  readonly #onServer = new OpenSet<RoutedRequest<Item, Result>>();
  /** The preferred side first. */
  #sides: readonly [Side<Item, Result>, ...Side<Item, Result>[]];
  readonly counts = new RouteCounts();

  /** @param side the side that has the model already */
  constructor(config: RouterConfig<Item>, side: Side<Item, Result>) {
    this.#config = config;
    this.#sides = [side];
    this.#room = new RoutedRoom(() => this.#first());
    this.#room.watch(side);
  }

  /** Adds the other side, once it has the model. */
  join(side: Side<Item, Result>): void {
    const [first] = this.#sides;
    this.#sides = side.origin === this.#config.preferred ? [side, first] : [first, side];
    this.#room.watch(side);
    for (const request of this.#waiting) request.moveTo(side);
    this.sidesChanged();
  }

  /** Rejects the requests that still wait for the device, because it has not joined. */
  loadEnded(): void {
    for (const request of this.#waiting) request.giveUp();
  }

  enqueue(item: Item, sink: Sink<Result>, options: RequestOptions = {}): Ticket {
    this.#config.wake();
    const timed = { ...options, sinceMs: this.#config.timer.now(), sequence: (this.#requests += 1) };
    const request = new RoutedRequest<Item, Result>(this, item, sink, timed, this.#first());
    this.counts.offered();
    request.send();
    return request;
  }

  take(item: Item): void {
    this.#first().queue.take(item);
  }

  discard(item: Item): void {
    this.#first().queue.discard(item);
  }

  /** Always false: each batcher rejects for itself, and the other one may have room. */
  rejectIfFull(): boolean {
    return false;
  }

  get streamRoom(): RoutedRoom<Item, Result> {
    return this.#room;
  }

  get disposedWith(): FramebatchError | null {
    return this.#sides[0].queue.disposedWith;
  }

  flush(): void {
    for (const { queue } of this.#sides) queue.flush();
  }

  resetStats(): void {
    for (const { queue } of this.#sides) queue.resetStats();
    this.counts.reset();
  }

  dispose(error: FramebatchError): void {
    for (const { queue } of this.#sides) queue.dispose(error);
    for (const request of this.#waiting) request.cancel(error);
  }

  /**
   * Looks again where requests may go, because a side has become ready or has failed: whether streams may continue, and
   * whether requests leave a device that is not ready for the server, or the server for a device that is.
   */
  sidesChanged(): void {
    this.#room.changed();
    const device = this.#sides.find(({ origin }) => origin === "device");
    if (device?.isReady === true) this.#leaveServer(device);
    else if (device !== undefined) this.#leaveDevice(device);
  }

  insteadOf(side: Side<Item, Result>): Side<Item, Result> | null {
    return this.#sides.find((other) => other !== side && other.isUsable) ?? null;
  }

  waitForSide(request: RoutedRequest<Item, Result>): Cancel | null {
    if (!this.#config.isLoading()) return null;
    this.#waiting.add(request);
    const atMs = this.#deadlineOf(request);
    const stop = atMs === Infinity ? null : this.#config.timer.schedule(atMs, () => request.giveUp());
    return () => {
      this.#waiting.delete(request);
      stop?.();
    };
  }

  isSuperseded(request: RoutedRequest<Item, Result>): boolean {
    const { key } = request.options;
    const newest = key === undefined ? undefined : this.#newest.get(key);
    return newest !== undefined && newest.options.sequence > request.options.sequence;
  }

  accepted(request: RoutedRequest<Item, Result>, side: Side<Item, Result>): Cancel {
    const { key } = request.options;
    if (key !== undefined) {
      const older = this.#newest.get(key);
      if (older !== undefined && this.#waiting.has(older)) older.supersede();
      this.#newest.set(key, request);
      for (const other of this.#sides) if (other !== side) other.queue.supersede(key);
    }
    request.acceptedAtMs = this.#config.timer.now();
    if (request.hasMoved) return () => undefined;
    if (side.origin === "device") return mayLeave(this.#onDevice, request);
    const [stayed, stopWatching] = [mayLeave(this.#onServer, request), this.#watch(request, side)];
    return () => {
      stayed();
      stopWatching();
    };
  }

  moved({ origin }: Side<Item, Result>): void {
    this.counts.moved(origin);
  }

  settled(request: RoutedRequest<Item, Result>, side: Side<Item, Result> | null): void {
    this.counts.settled(side?.origin ?? null);
    const { key } = request.options;
    if (key !== undefined && this.#newest.get(key) === request) this.#newest.delete(key);
  }

  copyItem(item: Item): Item {
    return this.#config.copyItem(item);
  }

  bothFailed(first: SideFailure, second: SideFailure): FramebatchError {
    return second.origin === this.#config.preferred ? bothFailed(second, first) : bothFailed(first, second);
  }

  #leaveDevice(device: Side<Item, Result>): void {
    for (const request of this.#onDevice) {
      const server = this.insteadOf(device);
      if (server === null) return;
      request.leaveFor(server);
    }
  }

  /**
   * Lets requests leave for the device that wait for a server in an outage, or that a silent server has not answered in
   * time.
   */
  #leaveServer(device: Side<Item, Result>): void {
    const server = this.#sides.find((side) => side !== device);
    if (server === undefined) return;
    const nowMs = this.#config.timer.now();
    // A copy: the first one that is late begins an outage, whose listeners may make requests.
    const requests = [...this.#onServer];
    for (const request of requests) {
      if (server.isAvoided) request.leaveQueueFor(device);
      if (nowMs >= this.#lateAtMs(request)) this.#leaveIfSilent(request, server);
    }
  }

  #first(): Side<Item, Result> {
    const sides = this.#sides;
    return (
      sides.find(({ isReady }) => isReady) ??
      sides.find(({ isUsable }) => isUsable) ??
      // A server may be back at any time, a device that has failed stays failed.
      sides.find(({ origin }) => origin === "server") ??
      sides[0]
    );
  }

  /** Lets the device answer a request with a deadline if the server is silent for a share of the time that is left. */
  #watch(request: RoutedRequest<Item, Result>, side: Side<Item, Result>): Cancel {
    const lateAtMs = this.#lateAtMs(request);
    if (lateAtMs === Infinity) return () => undefined;
    // The device may be ready by then.
    return this.#config.timer.schedule(lateAtMs, () => this.#leaveIfSilent(request, side));
  }

  #leaveIfSilent(request: RoutedRequest<Item, Result>, side: Side<Item, Result>): void {
    if (side.answeredAtMs < request.acceptedAtMs && this.insteadOf(side) !== null) request.leaveLate(side);
  }

  /**
   * When a server is late that has answered nothing since it has the request. It may have come from the device's queue.
   */
  #lateAtMs(request: RoutedRequest<Item, Result>): number {
    const { acceptedAtMs } = request;
    return acceptedAtMs + SERVER_SHARE * (this.#deadlineOf(request) - acceptedAtMs);
  }

  /** When the time of a request is over; `Infinity` if it is not limited, as by no objective in the background. */
  #deadlineOf({ options }: RoutedRequest<Item, Result>): number {
    const { sinceMs, timeoutMs = Infinity, priority } = options;
    const objectiveMs = rankOf(priority) === BACKGROUND ? Infinity : this.#config.maxLatencyMs;
    return sinceMs + Math.min(timeoutMs, objectiveMs);
  }
}

/** Adds a request to those that may leave their side. Returns how to take it out again. */
function mayLeave<T extends object>(requests: OpenSet<T>, request: T): Cancel {
  requests.add(request);
  return () => void requests.delete(request);
}

/** How many requests streams may submit: as many as keep the side busy that would get the next request. */
class RoutedRoom<Item, Result> {
  readonly #first: () => Side<Item, Result>;
  readonly #listeners = new Set<() => void>();

  /** @param first returns the side that would get the next request */
  constructor(first: () => Side<Item, Result>) {
    this.#first = first;
  }

  get targetRequests(): number {
    return this.#first().queue.streamRoom.targetRequests;
  }

  isFor(item: Item): boolean {
    return this.#first().queue.streamRoom.isFor(item);
  }

  /** Calls `callback` whenever more room may be available and when a side is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Passes on the changes of a side. */
  watch({ queue }: Side<Item, Result>): void {
    queue.streamRoom.onChange(() => this.changed());
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }
}

/** The requests of callers, each counted once, whichever sides it was on. */
interface RouteFigures {
  readonly offered: number;
  readonly completed: Readonly<Record<Origin, number>>;
  readonly rejected: number;
  readonly open: number;
  readonly movedTo: Readonly<Record<Origin, number>>;
}

/** Counts the requests of a router. */
class RouteCounts {
  #open = 0;
  #rejected = 0;
  #completed = { device: 0, server: 0 };
  #movedTo = { device: 0, server: 0 };

  offered(): void {
    this.#open += 1;
  }

  moved(to: Origin): void {
    this.#movedTo[to] += 1;
  }

  /** @param origin where the result comes from; `null` if the request was rejected */
  settled(origin: Origin | null): void {
    this.#open -= 1;
    if (origin === null) this.#rejected += 1;
    else this.#completed[origin] += 1;
  }

  /** Starts again from zero. Open requests count in the new figures. */
  reset(): void {
    this.#rejected = 0;
    this.#completed = { device: 0, server: 0 };
    this.#movedTo = { device: 0, server: 0 };
  }

  snapshot(): RouteFigures {
    const { device, server } = this.#completed;
    return {
      offered: device + server + this.#rejected + this.#open,
      completed: { ...this.#completed },
      rejected: this.#rejected,
      open: this.#open,
      movedTo: { ...this.#movedTo },
    };
  }
}
