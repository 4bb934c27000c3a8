/** Runs something with a list of the workers that are started meanwhile: there is no other way into them that all engines have. */
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
