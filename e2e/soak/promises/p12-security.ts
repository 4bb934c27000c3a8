import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { generateModel } from "@framebatch/models/generate";
import type { HostileEnd } from "../page/hostile-models.js";
import { atMost, list, NOTHING } from "../kit/findings.js";
import { MODEL_URLS, type Lab } from "../kit/lab.js";
import { mutated } from "../kit/mutated-models.js";
import type { Effort, SoakPromise } from "../kit/promise.js";
import type { Random } from "../kit/random.js";
import { runSpecs } from "../kit/spec-run.js";

const PLANS = {
  full: { rounds: 500, models: 900 },
  short: { rounds: 20, models: 12 },
} satisfies Record<Effort, object>;

/** The strictest policy that works. `img-src data:` is for the icon of the soak page. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";
/** Every second damaged model is loaded with the digest of the undamaged one. */
const WITH_DIGEST_EVERY = 2;
const AT_A_TIME = 3;
const LIMIT_MS = 20_000;

/** P12: framebatch works under a strict policy, makes no requests after loading, and withstands hostile models. */
export const P12: SoakPromise = {
  id: "P12",
  title: "security",
  isQuiet: false,
  async test({ lab, effort, random }) {
    const { rounds, models } = PLANS[effort];
    const { answered, wrong, violations, requestsAfterReady, error } = await underPolicy(lab, rounds);
    // The browser tests of Trusted Types and hostile addresses. Not in a short run, which is itself one of the browser
    // tests.
    const tests = effort === "full" ? await runSpecs("security", lab.executablePath) : { passed: 0, failed: [] };
    const { ends, acceptedInSpite, crashes } = await hostileModels(lab, models, random);
    const { stalled = 0, untyped = 0 } = ends;
    return {
      ...NOTHING,
      n: answered,
      wrong,
      faults: models,
      figures: {
        violations: violations.length,
        requestsAfterReady: requestsAfterReady.length,
        ...ends,
        crashes,
        tests: tests.passed + tests.failed.length,
      },
      breaches: [
        ...(error === null ? [] : [`expected a model under the strict policy, got ${error}`]),
        ...tests.failed.map((title) => `browser test failed: ${title}`),
        ...atMost("wrong answers", wrong, 0),
        ...atMost(`policy violations (${violations.join()})`, violations.length, 0),
        ...atMost(`network requests after ready (${requestsAfterReady.join()})`, requestsAfterReady.length, 0),
        ...atMost(
          `hostile models that end in neither an answer nor a FramebatchError (${list(ends)})`,
          stalled + untyped,
          0,
        ),
        ...atMost("damaged models accepted despite their digest", acceptedInSpite, 0),
        ...atMost("crashed tabs", crashes, 0),
      ],
    };
  },
};

async function underPolicy(lab: Lab, rounds: number) {
  const url = await lab.serve({ headers: { "Content-Security-Policy": POLICY } });
  const browser = await lab.launch();
  const page = await browser.newPage();
  await lab.enter(page, url);
  const requestsAfterReady: string[] = [];
  page.on("console", (message) => {
    if (message.text() === "soak: ready") page.on("request", (request) => requestsAfterReady.push(request.url()));
  });
  try {
    const sent = [MODEL_URLS["mlp-tiny"], rounds] as const;
    const found = await page.evaluate(([model, times]) => window.soak.guarded(model, times), sent);
    return { ...found, error: null, requestsAfterReady };
  } catch (error) {
    return { answered: 0, wrong: 0, violations: [], error: firstLine(error), requestsAfterReady };
  } finally {
    await browser.close();
  }
}

async function hostileModels(lab: Lab, count: number, random: Random) {
  const { bytes } = generateModel("mlp-small");
  const integrity = `sha256-${createHash("sha256").update(bytes).digest("base64")}`;
  const page = await lab.openPage();
  let crashes = 0;
  page.on("crash", () => (crashes += 1));
  const ends: Partial<Record<HostileEnd, number>> = {};
  let acceptedInSpite = 0;
  const tryOne = async (index: number) => {
    const model = mutated(bytes, random);
    const isSpoilt = Buffer.compare(model, bytes) !== 0;
    const digest = index % WITH_DIGEST_EVERY === 0 ? integrity : undefined;
    const end = await loaded(page, model, digest);
    ends[end] = (ends[end] ?? 0) + 1;
    if (digest !== undefined && isSpoilt && end === "answered") acceptedInSpite += 1;
  };
  for (let index = 0; index < count; index += AT_A_TIME) {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, offset) => tryOne(index + offset)));
  }
  await page.context().browser()?.close();
  return { ends, acceptedInSpite, crashes };
}

function loaded(page: Page, model: Uint8Array, integrity: string | undefined): Promise<HostileEnd> {
  return page.evaluate(([bytes, digest, limitMs]) => window.soak.tryModel(bytes, digest, limitMs), [
    Buffer.from(model).toString("base64"),
    integrity,
    LIMIT_MS,
  ] as const);
}

function firstLine(error: unknown): string {
  return String(error).split("\n")[0] ?? "";
}
