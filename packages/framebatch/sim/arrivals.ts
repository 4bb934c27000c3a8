import type { EventLoop } from "./event-loop.js";
import { exponential, type Random } from "./random.js";
import { FRAME_MS } from "./virtual-frames.js";

/** What makes requests. */
export interface ArrivalWorld {
  readonly loop: EventLoop;
  readonly random: Random;
  /** No request comes after this. */
  readonly untilMs: number;
  /** Makes one request now, in the current task. */
  readonly offer: (onSettled?: () => void) => void;
}

/** A pattern of requests. Starts it; it goes on until `untilMs`. */
export type Arrivals = (world: ArrivalWorld) => void;

/** Callers who each ask again as soon as they have their answer, in a microtask, as code that awaits does. */
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

/** `count` requests in one task, every `everyMs`. */
export function isolatedBursts(count: number, everyMs: number): Arrivals {
  return ({ loop, untilMs, offer }) => {
    for (let atMs = 0; atMs < untilMs; atMs += everyMs) {
      loop.at(atMs, () => {
        for (let i = 0; i < count; i++) offer();
      });
    }
  };
}

/** A Poisson stream. */
export function poisson(perMs: number): Arrivals {
  return (world) => poissonBetween(world, perMs, 0, world.untilMs);
}

/** A Poisson stream for `onMs`, nothing for `offMs`, and so on. */
export function onOff(perMs: number, onMs: number, offMs: number): Arrivals {
  return (world) => {
    for (let fromMs = 0; fromMs < world.untilMs; fromMs += onMs + offMs) {
      poissonBetween(world, perMs, fromMs, Math.min(fromMs + onMs, world.untilMs));
    }
  };
}

/** Light traffic at first; then, from `fromMs` on, `count` requests in one task, every `everyMs`, and nothing else. */
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
