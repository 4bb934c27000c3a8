import type { ProgressNotice } from "../../core/protocol/protocol.js";
import type { ReportBytes } from "./download.js";

export type LoadProgress = Pick<ProgressNotice, "phase" | "loadedBytes" | "totalBytes">;

/** One of the files of a model. */
export interface FileProgress {
  /** `0` where a download starts again, since what came before is lost. */
  readonly downloaded: ReportBytes;
  /** The whole file is there, without a download. */
  readonly there: (bytes: number, fromCache: boolean) => void;
}

interface Part {
  loadedBytes: number;
  totalBytes: number | null;
  source: "none" | "download" | "cache" | "given";
}

/** The progress of all files of a model together. It is a download as soon as one of them is. */
export class ProgressSum {
  readonly #parts: Part[] = [];
  readonly #say: (progress: LoadProgress) => void;

  constructor(say: (progress: LoadProgress) => void) {
    this.#say = say;
  }

  /** To be called for every file before the first of them is asked for. */
  add(): FileProgress {
    const part: Part = { loadedBytes: 0, totalBytes: null, source: "none" };
    this.#parts.push(part);
    const update = (source: Part["source"], loadedBytes: number, totalBytes: number | null) => {
      Object.assign(part, { source, loadedBytes, totalBytes });
      this.#tell();
    };
    return {
      downloaded: (loadedBytes, totalBytes) => update("download", loadedBytes, totalBytes),
      there: (bytes, fromCache) => update(fromCache ? "cache" : "given", bytes, bytes),
    };
  }

  #tell(): void {
    const sources = new Set(this.#parts.map(({ source }) => source));
    const loadedBytes = this.#parts.reduce((sum, part) => sum + part.loadedBytes, 0);
    const totalBytes = this.#parts.reduce<number | null>((sum, part) => plus(sum, part.totalBytes), 0);
    if (sources.has("download")) this.#say({ phase: "download", loadedBytes, totalBytes });
    else if (sources.has("cache") && !sources.has("none")) this.#say({ phase: "cache", loadedBytes, totalBytes });
  }
}

function plus(sum: number | null, bytes: number | null): number | null {
  return sum === null || bytes === null ? null : sum + bytes;
}
