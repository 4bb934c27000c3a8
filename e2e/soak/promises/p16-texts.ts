import type { Page } from "@playwright/test";
import type { TextsTally } from "../../fixtures/texts.js";
import { atLeast, atMost, NOTHING } from "../kit/findings.js";
import type { Attempt, Effort, SoakPromise } from "../kit/promise.js";
import { DEATHS, followWorkers, type Death } from "../kit/worker-faults.js";

/** `texts`: of each model. A text has 20 tokens on average; a fifth of the texts are left or aborted in the middle. */
const PLANS = {
  full: { texts: 2800, tokens: 50_000 },
  short: { texts: 100, tokens: 1000 },
} satisfies Record<Effort, object>;

/** Decoders that share steps by padding on the left, on the right, and only at equal lengths. */
const MODELS = ["decoder-rotary", "decoder-learned", "decoder-gqa", "decoder-counting"] as const;
const STREAMS = 64;
const MAX_NEW_TOKENS = 40;
const RUN_TIMEOUT_MS = 3000;
/** Those of a worker whose replies are those of texts. */
const KINDS = ["close", "terminate", "throw", "reject", "block"] as const satisfies readonly Death[];

/** P16: a text that shares its steps with others has the same tokens as alone, whichever of them are aborted, and whatever happens to their worker. */
export const P16: SoakPromise = {
  id: "P16",
  title: "many texts at once",
  isQuiet: false,
  async test(attempt) {
    const plan = PLANS[attempt.effort];
    const tallies: TextsTally[] = [];
    for (const model of MODELS) tallies.push(await write(attempt, model));
    const sum = (part: (tally: TextsTally) => number) => tallies.reduce((total, tally) => total + part(tally), 0);
    const [wrong, losses, compared] = [sum((it) => it.wrong), sum((it) => it.losses), sum((it) => it.compared)];
    const failures = tallies.flatMap((tally) => tally.failures);
    return {
      ...NOTHING,
      n: sum((it) => it.whole + it.aborted),
      lost: failures.length,
      wrong,
      faults: losses,
      figures: { tokens: compared, aborted: sum((it) => it.aborted) },
      breaches: [
        ...failures,
        ...atMost("texts that differ", wrong, 0),
        ...atMost(
          "texts that are left",
          sum(({ generation: { running, waiting } }) => running + waiting),
          0,
        ),
        ...atMost(
          "bytes of caches that are left",
          sum(({ generation }) => generation.cacheBytes),
          0,
        ),
        ...atLeast("tokens", compared, plan.tokens * MODELS.length),
        ...atLeast("workers lost", losses, KINDS.length * MODELS.length),
      ],
    };
  },
};

/** Writes the texts of one model, while its workers die in each way. */
async function write({ lab, effort, seed, random }: Attempt, model: (typeof MODELS)[number]): Promise<TextsTally> {
  const { texts, tokens } = PLANS[effort];
  const page = await lab.openPage({}, (blank: Page) => followWorkers(blank));
  const begun = await page.evaluateHandle((request) => window.soak.beginTexts(request), {
    url: `/models/${model}.onnx`,
    provider: "wasm",
    texts,
    maxNewTokens: MAX_NEW_TOKENS,
    streams: STREAMS,
    runTimeoutMs: RUN_TIMEOUT_MS,
    seed,
  } as const);
  for (const [index, kind] of random.deal([...KINDS], KINDS.length).entries()) {
    await begun.evaluate((all, count) => all.said(count), Math.floor((tokens * (index + 0.5)) / KINDS.length));
    await DEATHS[kind](page);
  }
  const tally = await begun.evaluate((all) => all.tally);
  await page.context().browser()?.close();
  return tally;
}
