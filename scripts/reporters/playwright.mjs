import path from "node:path";
import process from "node:process";
import { Progress, quoted, tellFailure } from "./progress.mjs";

/** Playwright's reporter for `npm test`: reports progress and failures, without a line for each passed test. */
export default class PlaywrightProgress {
  /** @readonly */
  #progress = new Progress("browser tests");

  /**
   * @param {import("@playwright/test/reporter").FullConfig} _config
   * @param {import("@playwright/test/reporter").Suite} suite
   */
  onBegin(_config, suite) {
    this.#progress.begin(suite.allTests().length);
  }

  /**
   * @param {import("@playwright/test/reporter").TestCase} test
   * @param {import("@playwright/test/reporter").TestResult} result
   */
  onTestEnd(test, { errors }) {
    const isOk = test.ok();
    this.#progress.count(!isOk);
    if (isOk) return;
    const project = test.parent.project()?.name ?? "";
    const file = path.relative(process.cwd(), test.location.file);
    const command = `${environment()}npx playwright test ${file} --project ${project} --grep ${quoted(test.title)}`;
    const messages = errors.map(({ stack, message, snippet }) => [stack ?? message, snippet].join("\n"));
    tellFailure(`[${project}] ${file}: ${test.title}`, messages, command);
  }

  /** @param {import("@playwright/test/reporter").TestError} error an error outside any test */
  onError({ stack, message }) {
    console.log(stack ?? message);
  }

  onEnd() {
    this.#progress.end();
  }

  printsToStdio() {
    return true;
  }
}

/** Returns the environment variables of this run as a prefix for a shell command. */
function environment() {
  return ["FRAMEBATCH_CHROMIUM", "FRAMEBATCH_HEADLESS_SHELL", "FRAMEBATCH_ALL"]
    .flatMap((name) => (process.env[name] === undefined ? [] : [`${name}='${process.env[name]}' `]))
    .join("");
}
