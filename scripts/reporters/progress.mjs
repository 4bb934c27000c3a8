const EVERY_MS = 10_000;

/** Prints the progress of the tests every 10 s. The reporters print the failures. */
export class Progress {
  /** @readonly */
  #what;
  #total = 0;
  #done = 0;
  #failed = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {string} what */
  constructor(what) {
    this.#what = what;
  }

  /** @param {number} total */
  begin(total) {
    this.#total = total;
    this.#timer = setInterval(() => {
      console.log(`        ${this.#what}: ${this.#done} of ${this.#total}, ${this.#failed} failed`);
    }, EVERY_MS);
    this.#timer.unref();
  }

  /** @param {boolean} hasFailed */
  count(hasFailed) {
    this.#done += 1;
    if (hasFailed) this.#failed += 1;
  }

  end() {
    clearInterval(this.#timer);
  }
}

/**
 * Prints a failure, and the command that runs only that test.
 *
 * @param {string} name
 * @param {readonly string[]} messages
 * @param {string} command
 */
export function tellFailure(name, messages, command) {
  console.log(`\nFAILED  ${name}\n        ${command}\n${messages.join("\n")}\n`);
}

/**
 * Quotes a title for a shell, as the regular expression of an option.
 *
 * @param {string} title
 */
export function quoted(title) {
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return `'${pattern.replaceAll("'", ".")}'`;
}
