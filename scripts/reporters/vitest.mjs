import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Progress, quoted, tellFailure } from "./progress.mjs";

/** Vitest's reporter for `npm test`: reports progress and failures, without a line for each passed test. */
export default class VitestProgress {
  /** @readonly */
  #progress = new Progress("files of unit tests");

  /** @param {readonly import("vitest/node").TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    this.#progress.begin(specifications.length);
  }

  /** @param {import("vitest/node").TestModule} module */
  onTestModuleEnd(module) {
    this.#progress.count(!module.ok());
    const file = path.relative(process.cwd(), module.moduleId);
    const ownErrors = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
    if (ownErrors.length > 0) tellFailure(file, ownErrors.map(textOf), `npm run test:unit -- ${file}`);
    for (const test of module.children.allTests("failed")) {
      const command = `npm run test:unit -- ${file} -t ${quoted(test.fullName.replaceAll(" > ", " "))}`;
      tellFailure(`${file}: ${test.fullName}`, (test.result().errors ?? []).map(textOf), command);
    }
  }

  /**
   * @param {readonly import("vitest/node").TestModule[]} _modules
   * @param {readonly import("vitest/node").SerializedError[]} errors errors outside any test
   */
  onTestRunEnd(_modules, errors) {
    this.#progress.end();
    for (const error of errors) console.log(textOf(error));
    const file = process.env["FRAMEBATCH_UNHANDLED"];
    if (file !== undefined && errors.length > 0) writeFileSync(file, String(errors.length));
  }
}

/** @param {{ stack?: string, message: string, diff?: string }} error */
function textOf({ stack, message, diff }) {
  return [stack ?? message, diff].filter(Boolean).join("\n");
}
