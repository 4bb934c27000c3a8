import type { JSHandle, Page } from "@playwright/test";
import type { Progress, Subject, SubjectRequest } from "../page/subject.js";
import type { Killer } from "../page/soak-items.js";
import type { Account } from "./ledger.js";
import { quantile } from "./quantile.js";

const POLL_MS = 20;
/** Longer than any recovery that could still be called one. */
const RECOVERY_LIMIT_MS = 30_000;
/** A batch is halved until the killer stands alone, and each step costs a worker. */
const KILLER_LIMIT_MS = 60_000;
const END_LIMIT_MS = 60_000;

/** A model under load in a page, on which faults are inflicted from outside. */
export class Siege {
  readonly page: Page;
  readonly subject: JSHandle<Subject>;

  private constructor(page: Page, subject: JSHandle<Subject>) {
    this.page = page;
    this.subject = subject;
  }

  static async lay(page: Page, request: SubjectRequest): Promise<Siege> {
    return new Siege(page, await page.evaluateHandle((sent) => window.soak.open(sent), request));
  }

  progress(): Promise<Progress> {
    return this.subject.evaluate((it) => it.progress());
  }

  keepOn(callers: number): Promise<void> {
    return this.subject.evaluate((it, count) => it.load.keepOn(count), callers);
  }

  burst(requests: number): Promise<void> {
    return this.subject.evaluate((it, count) => it.load.burst(count), requests);
  }

  /** Sends one item that no worker survives. Resolves when it alone has been found out. */
  async kill(by: Killer): Promise<void> {
    const late = pause(KILLER_LIMIT_MS).then(() => "late");
    const end = await Promise.race([this.subject.evaluate((it, how) => it.load.kill(how), by), late]);
    if (end === "late") throw new Error(`expected the item that kills by "${by}" to be found in ${KILLER_LIMIT_MS} ms`);
  }

  /** Inflicts a fault. Resolves when the model has answered again. */
  async strike(what: string, inflict: () => Promise<void>): Promise<void> {
    const { outages } = await this.progress();
    await inflict();
    await this.until(`recovery from ${what}`, (now) => now.outages.length > outages.length);
  }

  async until(what: string, isReached: (progress: Progress) => boolean): Promise<void> {
    const deadlineMs = performance.now() + RECOVERY_LIMIT_MS;
    for (;;) {
      const progress = await this.progress();
      if (isReached(progress)) return;
      if (performance.now() > deadlineMs) throw new Error(`no ${what} in ${RECOVERY_LIMIT_MS} ms: ${told(progress)}`);
      await pause(POLL_MS);
    }
  }

  /** Of the outages so far. */
  async times(): Promise<RecoveryTimes> {
    const { outages } = await this.progress();
    return {
      recoverP95Ms: quantile(
        outages.map(({ recoverMs }) => recoverMs),
        0.95,
      ),
      detectP95Ms: quantile(
        outages.map(({ detectMs }) => detectMs),
        0.95,
      ),
    };
  }

  async end(): Promise<Account & Pick<Progress, "losses">> {
    const account = await this.subject.evaluate((it, limitMs) => it.end(limitMs), END_LIMIT_MS);
    const { losses } = await this.progress();
    return { ...account, losses };
  }
}

export interface RecoveryTimes {
  /** From the moment when a loss is noticed to the next good answer. */
  readonly recoverP95Ms: number | null;
  /** From the last good answer to that moment. */
  readonly detectP95Ms: number | null;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function told({ outages, ...rest }: Progress): string {
  return JSON.stringify({ ...rest, outages: outages.length });
}
