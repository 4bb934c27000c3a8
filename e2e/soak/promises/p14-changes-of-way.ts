import { atLeast, atMost, NOTHING } from "../kit/findings.js";
import type { Effort, SoakPromise } from "../kit/promise.js";

const PLANS = {
  full: { requests: 100_000, changes: 50 },
  short: { requests: 5000, changes: 4 },
} satisfies Record<Effort, unknown>;

/** P14: a model that changes its way to run while it is called answers every call, once, and in order. */
export const P14: SoakPromise = {
  id: "P14",
  title: "correct across changes of way",
  isQuiet: false,
  async test({ lab, effort }) {
    const plan = PLANS[effort];
    const browser = await lab.launch();
    const page = await browser.newPage();
    await page.goto(`${lab.url}/changing-way.html`);
    await page.waitForFunction(() => "changeWays" in window && crossOriginIsolated);
    const url = "/models/numbered-rows.onnx";
    const { answered, rejected, wrong, doubled, threads } = await page.evaluate((asked) => window.changeWays(asked), {
      ...plan,
      url,
    });
    await browser.close();
    return {
      ...NOTHING,
      n: answered + rejected,
      lost: rejected,
      wrong,
      duplicated: doubled,
      faults: plan.changes,
      breaches: [
        ...atMost("requests lost", rejected, 0),
        ...atMost("wrong answers", wrong, 0),
        ...atMost("answers beyond the items of a stream", doubled, 0),
        ...atLeast("changes of way", threads.length, plan.changes),
        ...atLeast("requests", answered, plan.requests),
      ],
    };
  },
};
