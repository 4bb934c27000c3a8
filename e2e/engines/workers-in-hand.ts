/**
 * Runs an action with a list of the workers that start during it. It replaces the `Worker` class, because no other
 * access to workers exists in all engines.
 */
export async function withWorkersInHand(action: (workers: readonly Worker[]) => Promise<void>): Promise<void> {
  const Native = globalThis.Worker;
  const workers: Worker[] = [];
  globalThis.Worker = class extends Native {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push(this);
    }
  };
  try {
    await action(workers);
  } finally {
    globalThis.Worker = Native;
  }
}
