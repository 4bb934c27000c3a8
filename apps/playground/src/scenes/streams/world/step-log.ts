/** What became of a step. */
export const WAITING = 0;
export const QUIET = 1;
export const VOICE = 2;
export const MISSED = 3;

/** How many steps are kept: as many as the widest picture shows. */
export const KEPT = 200;

/** The latest steps of a stream: how loud each was, and what became of it. */
export class StepLog {
  readonly #loudness = new Float32Array(KEPT);
  readonly #fates = new Uint8Array(KEPT);
  #count = 0;

  /** Number of steps so far. */
  get count(): number {
    return this.#count;
  }

  /** Returns the number of the step. @param loudness 0 to 1 */
  begin(loudness: number): number {
    const step = this.#count++;
    this.#loudness[step % KEPT] = loudness;
    this.#fates[step % KEPT] = WAITING;
    return step;
  }

  /** A step that is no longer kept is ignored. */
  settle(step: number, fate: number): void {
    if (step >= this.#count - KEPT) this.#fates[step % KEPT] = fate;
  }

  /** Of a step that is kept. */
  loudness(step: number): number {
    return this.#loudness[step % KEPT] ?? 0;
  }

  /** Of a step that is kept. */
  fate(step: number): number {
    return this.#fates[step % KEPT] ?? WAITING;
  }
}
