const EVERY_MS = 10_000;

/** Says every ten seconds how far the tests are: their failures are told by whoever counts them. */
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
 * A failure, and the command that runs that test alone.
 *
 * @param {string} name
 * @param {readonly string[]} messages
 * @param {string} command
 */
export function tellFailure(name, messages, command) {
  console.log(`\nFAILED  ${name}\n        ${command}\n${messages.join("\n")}\n`);
}

/**
 * For a shell, and for an option that takes a regular expression.
 *
 * @param {string} title
 */
export function quoted(title) {
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return `'${pattern.replaceAll("'", ".")}'`;
}
