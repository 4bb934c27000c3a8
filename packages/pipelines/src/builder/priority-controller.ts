import type { Priority } from "@framebatch/batcher/queue/priority.js";

/** The part of `TaskController` that framebatch uses, which TypeScript's library does not declare. */
export interface PriorityController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  setPriority(priority: Priority): void;
}

/** Creates a `TaskController`; `null` in browsers that have none, and in Node. */
export function createPriorityController(priority: Priority): PriorityController | null {
  const constructor: unknown = Reflect.get(globalThis, "TaskController");
  return typeof constructor === "function" ? Reflect.construct(constructor, [{ priority }]) : null;
}
