import type { JSHandle, Page } from "@playwright/test";
import type { Progress, Subject, SubjectRequest } from "../page/subject.js";
import type { Killer } from "../page/soak-items.js";
import type { Account } from "./ledger.js";
import { quantile } from "./quantile.js";

const POLL_MS = 20;
/**
 * Ends a test that would never end, in milliseconds. It is no verdict on speed: the times of recoveries are judged with
 * the slowdown of the machine.
 */
const LIMIT_MS = 600_000;

/** A model under load in a page, for tests that inject faults from outside the page. */
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

  /** Sends one item that ends every worker. Resolves when the SDK has isolated and rejected it. */
  async kill(by: Killer): Promise<void> {
    const late = pause(LIMIT_MS).then(() => "late");
    const end = await Promise.race([this.subject.evaluate((it, how) => it.load.kill(how), by), late]);
    if (end === "late") throw new Error(`expected the item that causes "${by}" to be isolated within ${LIMIT_MS} ms`);
  }

  /** Injects a fault. Resolves when the model answers again. */
  async strike(what: string, inflict: () => Promise<void>): Promise<void> {
    const { outages } = await this.progress();
    await inflict();
    await this.until(`recovery from ${what}`, (now) => now.outages.length > outages.length);
  }

  async until(what: string, isReached: (progress: Progress) => boolean): Promise<void> {
    const deadlineMs = performance.now() + LIMIT_MS;
    for (;;) {
      const progress = await this.progress();
      if (isReached(progress)) return;
      if (performance.now() > deadlineMs)
        throw new Error(`expected ${what} within ${LIMIT_MS} ms, got ${told(progress)}`);
      await pause(POLL_MS);
    }
  }

  /** Returns the times of the outages so far. */
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
    const account = await this.subject.evaluate((it, limitMs) => it.end(limitMs), LIMIT_MS);
    const { losses } = await this.progress();
    return { ...account, losses };
  }
}

export interface RecoveryTimes {
  /** From the detection of a loss to the next correct answer. */
  readonly recoverP95Ms: number | null;
  /** From the last correct answer to the detection of the loss. */
  readonly detectP95Ms: number | null;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function told({ outages, ...rest }: Progress): string {
  return JSON.stringify({ ...rest, outages: outages.length });
}
