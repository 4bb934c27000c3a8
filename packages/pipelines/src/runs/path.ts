import type { OpenRun } from "./open-run.js";

/**
 * What a part keeps occupied behind it until the next stage takes it: a slot of the previous stage, or the entrance.
 * This is how a slow stage holds back the ones before it.
 */
export interface Hold {
  /** Frees what is held. Has no effect when called again. */
  release(): void;
}

/** The hold of a part that occupies nothing. */
export const NO_HOLD: Hold = { release() {} };

/** Returns a hold that calls back when it is released. */
export function createHold(onRelease: () => void): Hold {
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      onRelease();
    },
  };
}

/** Receives a part that has passed a path, and takes over its hold. */
export type Next<Out> = (result: Out, hold: Hold) => void;

/**
 * The way of a part through some steps of a pipeline. It takes over the part's hold. It calls `next` at most once, and
 * never after the run has ended; if a step fails, it ends the run instead.
 */
export type Path<In, Out> = (item: In, hold: Hold, run: OpenRun, next: Next<Out>) => void;

/** Returns the path through both, one after the other. */
export function joinPaths<In, Middle, Out>(first: Path<In, Middle>, second: Path<Middle, Out>): Path<In, Out> {
  return (item, hold, run, next) =>
    first(item, hold, run, (part, partHold) => {
      second(part, partHold, run, next);
    });
}

/** The path without steps. */
export function emptyPath<Item>(item: Item, hold: Hold, _run: OpenRun, next: Next<Item>): void {
  next(item, hold);
}
