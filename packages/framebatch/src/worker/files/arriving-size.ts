import type { WorkerNotice } from "../../transport/protocol.js";
import type { ModelFiles } from "./model-files.js";

/** Tells whether a model is large, mostly before its files have arrived. */
export class ArrivingSize {
  /**
   * Resolves as soon as the servers have told the length of all files to which the model refers, as many bytes have arrived,
   * or the download has ended; to `null` if it fails, or if it starts only once it is known how to run.
   */
  readonly isLarge: Promise<boolean | null>;
  readonly #leastBytes: number;
  readonly #say: (notice: WorkerNotice) => void;
  #tell: (isLarge: boolean | null) => void = () => undefined;
  /** Whether the model has arrived, and so all files are known. */
  #areAllKnown = false;
  #isTotal = false;

  /**
   * @param leastBytes the size of all files from which a model counts as large, in bytes
   * @param say receives the notices of the download
   */
  constructor(leastBytes: number, say: (notice: WorkerNotice) => void) {
    this.#leastBytes = leastBytes;
    this.#say = say;
    this.isLarge = new Promise((resolve) => (this.#tell = resolve));
  }

  /** Receives a notice of the download, and passes it on. */
  readonly hear = (notice: WorkerNotice): void => {
    if (notice.notice === "progress")
      this.#arrived(notice.totalBytes ?? notice.loadedBytes, notice.totalBytes !== null);
    this.#say(notice);
  };

  /** The model has arrived. @param hasMore whether it refers to files that the page has not named */
  read(hasMore: boolean): void {
    this.#areAllKnown = true;
    if (!hasMore && this.#isTotal) this.#tell(false);
  }

  /** Waits for the end of the download. @param files `null` if it starts only once it is known how to run */
  endsWith(files: Promise<Pick<ModelFiles, "totalBytes">> | null): void {
    if (files === null) return this.#tell(null);
    files.then(
      ({ totalBytes }) => this.#tell(totalBytes >= this.#leastBytes),
      () => this.#tell(null),
    );
  }

  #arrived(bytes: number, isAll: boolean): void {
    this.#isTotal = isAll;
    if (bytes >= this.#leastBytes) this.#tell(true);
    else if (isAll && this.#areAllKnown) this.#tell(false);
  }
}
