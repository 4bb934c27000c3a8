import type { GenerateOptions } from "framebatch";

/** How urgently a sentence is wanted. */
export type Urgency = "user-visible" | "background";

/** What a page does about a text that it has asked for. */
export interface Asking {
  /** The options of the text. */
  readonly options: Pick<GenerateOptions, "signal" | "priority">;
  readonly signal: AbortSignal;
  abort(): void;
  /** `null` in browsers without `TaskController`, where a text keeps its priority. */
  readonly setPriority: ((urgency: Urgency) => void) | null;
}

/** The part of `TaskController` that is used here, which TypeScript's library does not declare. */
interface TaskController {
  readonly signal: AbortSignal;
  abort(): void;
  setPriority(priority: Urgency): void;
}

export function askWith(urgency: Urgency): Asking {
  const controller = createTaskController(urgency);
  if (controller !== null) {
    const { signal } = controller;
    const abort = (): void => controller.abort();
    return { options: { signal }, signal, abort, setPriority: (next) => controller.setPriority(next) };
  }
  const plain = new AbortController();
  const { signal } = plain;
  return { options: { signal, priority: urgency }, signal, abort: () => plain.abort(), setPriority: null };
}

function createTaskController(priority: Urgency): TaskController | null {
  const constructor: unknown = Reflect.get(globalThis, "TaskController");
  return typeof constructor === "function" ? Reflect.construct(constructor, [{ priority }]) : null;
}
