import { atLeast, atMost, judged, list, NOTHING } from "../kit/findings.js";
import { MODEL_URLS } from "../kit/lab.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import { Siege } from "../kit/siege.js";

const WILD = { full: 100_000, short: 3000 } satisfies Record<Effort, number>;
const VALID_FOR_EACH = 10;

/** P10: every invalid input is rejected with INVALID_INPUT, and other requests are not affected. */
export const P10: SoakPromise = {
  id: "P10",
  title: "invalid inputs are rejected",
  isQuiet: false,
  async test({ lab, effort, seed }) {
    const page = await lab.openPage();
    const request = {
      model: "mlp-tiny",
      url: MODEL_URLS["mlp-tiny"],
      providers: ["wasm"],
      inputs: 4093,
      seed,
    } as const;
    const siege = await Siege.lay(page, request);
    const wild = await siege.subject.evaluate(
      (it, [count, valid, from]) => window.soak.wildInputs(it, count, valid, from),
      [WILD[effort], VALID_FOR_EACH, seed] as const,
    );
    // The ledger does not record the wild inputs. None of them may be answered, so its comparison with the SDK's counts
    // holds.
    const account = await siege.end();
    await page.context().browser()?.close();
    const found = judged(account);
    const { INVALID_INPUT: refused = 0, ...otherEnds } = wild.ends;
    return {
      ...NOTHING,
      ...found,
      faults: wild.made,
      figures: { refused, thrown: wild.thrown, unhandled: wild.unhandled, losses: account.losses },
      breaches: [
        ...found.breaches,
        ...atLeast("wild inputs", wild.made, WILD[effort]),
        ...atMost("calls that throw synchronously", wild.thrown, 0),
        ...atMost("unhandled rejections", wild.unhandled, 0),
        ...atMost("workers lost", account.losses, 0),
        ...atMost(`wild inputs with an outcome other than INVALID_INPUT (${list(otherEnds)})`, wild.made - refused, 0),
      ],
    };
  },
};
