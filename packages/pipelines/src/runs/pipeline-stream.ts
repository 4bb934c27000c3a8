/** One stream through a pipeline. */
export class PipelineStream {
  /** Whether its items reach every stage in the order in which they came. */
  readonly isOrdered: boolean;
  readonly #whenEnded: (() => void)[] = [];

  constructor(isOrdered: boolean) {
    this.isOrdered = isOrdered;
  }

  /** Calls back when the stream has ended, for whatever reason. */
  whenEnded(callback: () => void): void {
    this.#whenEnded.push(callback);
  }

  end(): void {
    for (const tell of this.#whenEnded.splice(0)) tell();
  }
}
