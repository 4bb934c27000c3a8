import type { ProgressNotice } from "../../transport/protocol.js";
import type { ReportBytes } from "./download.js";

export type SummedProgress = Pick<ProgressNotice, "phase" | "loadedBytes" | "totalBytes">;

/** One of the files of a model. */
export interface FileProgress {
  /** Reports downloaded bytes. When a download restarts, they return to 0, because the earlier bytes are lost. */
  readonly downloaded: ReportBytes;
  /** Reports that the complete file is available without a download. */
  readonly there: (bytes: number, fromCache: boolean) => void;
}

interface Part {
  loadedBytes: number;
  totalBytes: number | null;
  source: "none" | "download" | "cache" | "given";
}

/** Sums the progress of all files of a model. The phase is "download" as soon as one file is downloaded. */
export class ProgressSum {
  readonly #parts: Part[] = [];
  readonly #say: (progress: SummedProgress) => void;

  constructor(say: (progress: SummedProgress) => void) {
    this.#say = say;
  }

  /** Adds a file. Call it for all files before the first request. */
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
    const totalBytes = this.#parts.reduce<number | null>((sum, part) => addIfKnown(sum, part.totalBytes), 0);
    if (sources.has("download")) this.#say({ phase: "download", loadedBytes, totalBytes });
    else if (sources.has("cache") && !sources.has("none")) this.#say({ phase: "cache", loadedBytes, totalBytes });
  }
}

function addIfKnown(sum: number | null, bytes: number | null): number | null {
  return sum === null || bytes === null ? null : sum + bytes;
}
