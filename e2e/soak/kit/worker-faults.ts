import type { Page, Worker } from "@playwright/test";

/** Where `followWorkers` keeps the page's newest worker. */
declare global {
  interface Window {
    soakWorker?: globalThis.Worker;
  }
}

/** Keeps the page's newest worker at hand, so that it can be ended behind the SDK's back. */
export async function followWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.Worker = class extends Worker {
      constructor(script: string | URL, options?: WorkerOptions) {
        super(script, options);
        window.soakWorker = this;
      }
    };
  });
}

type Inflict = (page: Page) => Promise<void>;

/** Ways in which a worker dies or falls silent. All but `throw` and `reject` raise no event on the page. */
export const DEATHS = {
  close: inWorker(() => void setTimeout(() => self.close())),
  terminate: (page) => page.evaluate(() => window.soakWorker?.terminate()),
  throw: inWorker(() => {
    setTimeout(() => {
      throw new Error("broken on purpose");
    });
  }),
  reject: inWorker(() => void Promise.reject(new Error("broken on purpose"))),
  /** Neither answers nor listens for longer than any run may take. */
  block: inWorker(() => {
    setTimeout(() => {
      const end = performance.now() + 4000;
      while (performance.now() < end);
    });
  }),
  /** Runs batches and says nothing any more. */
  silence: inWorker(() => void (Reflect.get(self, "soakFaults").mute = Infinity)),
} satisfies Record<string, Inflict>;

export type Death = keyof typeof DEATHS;

/** The next reply lacks its last row. The worker lives on. */
export const shortenReply: Inflict = inWorker(() => void (Reflect.get(self, "soakFaults").shorten = 1));

/** What a driver's reset does to a page: its device is gone, and the worker lives on. */
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
    if (worker === undefined) throw new Error("expected a worker to harm, got none");
    await inTime(worker, action);
  };
}

/** A worker that dies of it may not answer any more. */
async function inTime(worker: Worker, action: () => void): Promise<void> {
  const answered = worker.evaluate(action).catch(() => undefined);
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 1000))]);
}
