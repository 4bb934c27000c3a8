import { downloadFaults } from "../../tables/download-faults.js";
import { atLeast, NOTHING } from "../kit/findings.js";
import type { SoakPromise } from "../kit/promise.js";
import { runSpecs } from "../kit/spec-run.js";

const MIN_FAULTS = 25;

/**
 * P8: each download fault rejects with its code, and a load succeeds after the fault ends. Runs the browser tests, one
 * fault after the other.
 */
export const P8: SoakPromise = {
  id: "P8",
  title: "downloads that fail",
  isQuiet: false,
  async test({ lab }) {
    const { passed, failed } = await runSpecs("download-faults", lab.executablePath);
    return {
      ...NOTHING,
      n: passed + failed.length,
      faults: downloadFaults.length,
      breaches: [
        ...atLeast("tests of downloads", passed + failed.length, 1),
        ...atLeast("download faults", downloadFaults.length, MIN_FAULTS),
        ...failed.map((title) => `browser test failed: ${title}`),
      ],
    };
  },
};
