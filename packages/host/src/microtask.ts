/** Microtasks come from a promise that has resolved: in Chromium, `queueMicrotask` takes ten times as long. */
export const settled = Promise.resolve();

/** Does `work` in a microtask. */
export function afterMicrotask(work: () => void): void {
  void settled.then(work);
}
