import { cacheFaults } from "../../tables/cache-faults.js";
import { atLeast, NOTHING } from "../kit/findings.js";
import type { SoakPromise } from "../kit/promise.js";
import { runSpecs } from "../kit/spec-run.js";

const MIN_FAULTS = 9;

/** P9: a model loads even if the cache does not work. Runs the browser tests, one fault after the other. */
export const P9: SoakPromise = {
  id: "P9",
  title: "caches that do not work",
  isQuiet: false,
  async test({ lab }) {
    const { passed, failed } = await runSpecs("cache-faults", lab.executablePath);
    return {
      ...NOTHING,
      n: passed + failed.length,
      faults: cacheFaults.length,
      breaches: [
        ...atLeast("tests of the cache", passed + failed.length, 1),
        ...atLeast("cache faults", cacheFaults.length, MIN_FAULTS),
        ...failed.map((title) => `browser test failed: ${title}`),
      ],
    };
  },
};
