import type { EventLoop } from "../run/event-loop.js";
import { exponential, type Random } from "./random.js";
import { FRAME_MS } from "../run/virtual-frames.js";

/** The virtual world in which an arrival pattern makes requests. */
export interface ArrivalWorld {
  readonly loop: EventLoop;
  readonly random: Random;
  /** No request arrives after this time. */
  readonly untilMs: number;
  /** Makes one request now, in the current task. */
  readonly offer: (onSettled?: () => void) => void;
}

/** Starts a pattern of requests that continues until `untilMs`. */
export type Arrivals = (world: ArrivalWorld) => void;

/** Callers that each make the next request in a microtask after their answer, as code that awaits does. */
export function closedLoop(callers: number): Arrivals {
  return ({ loop, untilMs, offer }) => {
    const again = (): void => {
      if (loop.now() <= untilMs) offer(settled);
    };
    const settled = (): void => {
      loop.afterMicrotasks(again);
    };
    loop.at(0, () => {
      for (let i = 0; i < callers; i++) again();
    });
  };
}

/** `count` requests in one task at the start of every frame. */
export function frameBursts(count: number): Arrivals {
  return ({ loop, untilMs, offer }) => {
    const burst = (frame: number): void => {
      if (frame * FRAME_MS > untilMs) return;
      loop.at(frame * FRAME_MS, () => {
        for (let i = 0; i < count; i++) offer();
        burst(frame + 1);
      });
    };
    burst(0);
  };
}

/** `count` requests in every frame, each in its own task at a random instant. */
export function scattered(count: number): Arrivals {
  return ({ loop, random, untilMs, offer }) => {
    const frame = (index: number): void => {
      if (index * FRAME_MS > untilMs) return;
      loop.at(index * FRAME_MS, () => {
        for (let i = 0; i < count; i++) loop.at((index + random()) * FRAME_MS, () => offer());
        frame(index + 1);
      });
    };
    frame(0);
  };
}

/** `count` requests in one task, once every `everyMs`. */
export function isolatedBursts(count: number, everyMs: number): Arrivals {
  return ({ loop, untilMs, offer }) => {
    for (let atMs = 0; atMs < untilMs; atMs += everyMs) {
      loop.at(atMs, () => {
        for (let i = 0; i < count; i++) offer();
      });
    }
  };
}

/** A Poisson stream with a mean of `perMs` requests per millisecond. */
export function poisson(perMs: number): Arrivals {
  return (world) => poissonBetween(world, perMs, 0, world.untilMs);
}

/** Alternates between a Poisson stream for `onMs` and a pause of `offMs`. */
export function onOff(perMs: number, onMs: number, offMs: number): Arrivals {
  return (world) => {
    for (let fromMs = 0; fromMs < world.untilMs; fromMs += onMs + offMs) {
      poissonBetween(world, perMs, fromMs, Math.min(fromMs + onMs, world.untilMs));
    }
  };
}

/**
 * Light Poisson traffic until `quietFromMs`. From `fromMs` on, only bursts: `count` requests in one task, once every
 * `everyMs`.
 */
export function rareBursts(
  count: number,
  perMs: number,
  quietFromMs: number,
  fromMs: number,
  everyMs: number,
): Arrivals {
  return (world) => {
    poissonBetween(world, perMs, 0, quietFromMs);
    for (let atMs = fromMs; atMs < world.untilMs; atMs += everyMs) {
      world.loop.at(atMs, () => {
        for (let i = 0; i < count; i++) world.offer();
      });
    }
  };
}

function poissonBetween({ loop, random, offer }: ArrivalWorld, perMs: number, fromMs: number, toMs: number): void {
  const next = (afterMs: number): void => {
    const atMs = afterMs + exponential(random, 1 / perMs);
    if (atMs > toMs) return;
    loop.at(atMs, () => {
      offer();
      next(atMs);
    });
  };
  next(fromMs);
}
