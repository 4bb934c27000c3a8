import type { Page, Worker } from "@playwright/test";

/** `followWorkers` stores the page's newest worker here, and all of them as long as the page holds them. */
declare global {
  interface Window {
    soakWorker?: globalThis.Worker;
    soakWorkers?: WeakRef<globalThis.Worker>[];
  }
}

/** Stores the page's newest worker, so that a test can terminate it without the SDK. */
export async function followWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.Worker = class extends Worker {
      constructor(script: string | URL, options?: WorkerOptions) {
        super(script, options);
        window.soakWorker = this;
        (window.soakWorkers ??= []).push(new WeakRef(this));
      }
    };
  });
}

/** Returns the number of workers, running or ended, that the page holds. Meaningful only after garbage collection. */
export function heldWorkers(page: Page): Promise<number> {
  return page.evaluate(() => window.soakWorkers?.filter((worker) => worker.deref() !== undefined).length ?? 0);
}

type Inflict = (page: Page) => Promise<void>;

/** Ways in which a worker ends or stops responding. Only `throw` and `reject` fire an event in the page. */
export const DEATHS = {
  close: inWorker(() => void setTimeout(() => self.close())),
  terminate: (page) => page.evaluate(() => window.soakWorker?.terminate()),
  throw: inWorker(() => {
    setTimeout(() => {
      throw new Error("broken on purpose");
    });
  }),
  reject: inWorker(() => void Promise.reject(new Error("broken on purpose"))),
  /** Blocks the worker for longer than the timeout of a run. */
  block: inWorker(() => {
    setTimeout(() => {
      const end = performance.now() + 4000;
      while (performance.now() < end);
    });
  }),
  /** Runs batches but sends no replies. */
  silence: inWorker(() => void (Reflect.get(self, "soakFaults").mute = Infinity)),
} satisfies Record<string, Inflict>;

export type Death = keyof typeof DEATHS;

/** Removes the last row from the next reply. The worker continues. */
export const shortenReply: Inflict = inWorker(() => void (Reflect.get(self, "soakFaults").shorten = 1));

/** Destroys the GPU devices, as a driver reset does. The worker continues. */
export const destroyDevices: Inflict = inWorker(() => {
  for (const device of Reflect.get(self, "soakDevices")) device.destroy();
});

export async function crashGpuProcess(page: Page): Promise<void> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  await session?.send("Browser.crashGpuProcess");
  await session?.detach();
}

function inWorker(action: () => void): Inflict {
  return async (page) => {
    const worker = page.workers().at(-1);
    if (worker === undefined) throw new Error("expected a running worker, got none");
    await inTime(worker, action);
  };
}

/** Waits at most 1 s, because a worker that ends may not respond. */
async function inTime(worker: Worker, action: () => void): Promise<void> {
  const answered = worker.evaluate(action).catch(() => undefined);
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 1000))]);
}
