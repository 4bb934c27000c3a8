/** Tells whether this page has started a worker. */
export interface WorkerWatch {
  readonly started: boolean;
  /** Forgets the workers so far. */
  reset(): void;
  /** Ends the watch. */
  end(): void;
}

/** Watches the constructor of workers: a model that starts another one measures another way to run. */
export function watchWorkers(): WorkerWatch {
  const Original = globalThis.Worker;
  let count = 0;
  globalThis.Worker = class extends Original {
    constructor(...parameters: ConstructorParameters<typeof Worker>) {
      super(...parameters);
      count++;
    }
  };
  return {
    get started() {
      return count > 0;
    },
    reset: () => (count = 0),
    end: () => (globalThis.Worker = Original),
  };
}
