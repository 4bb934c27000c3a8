import type { ExecutionProvider } from "../../transport/providers.js";
import type { ObtainedFile } from "../../transport/obtained-file.js";
import type { FileLocations, PinnedFiles } from "./pinned-files.js";

/** The files of one provider. */
export interface OwnFiles {
  readonly provider: ExecutionProvider;
  readonly files: PinnedFiles;
  readonly integrity: string | null;
}

/** The files of a model that has its own ones for each provider. */
export class FilesByProvider {
  readonly areByProvider = true;
  readonly #all: readonly OwnFiles[];

  /** @param all those of at least one provider */
  constructor(all: readonly OwnFiles[]) {
    this.#all = all;
  }

  /** Whether every file of a model has an address, so that the cache may hold all. */
  get hasAddress(): boolean {
    return this.#all.every(({ files }) => files.hasAddress);
  }

  /** See `PinnedFiles`. */
  locate(): FileLocations {
    const variants = this.#all.map(({ provider, integrity, files }) => {
      const { location, externalData } = files.locate();
      return { provider, integrity, location, externalData };
    });
    const [{ location, externalData } = nothing()] = variants;
    return { location, externalData, variants };
  }

  /** Pins the files that a worker has obtained for a provider. */
  pin(obtained: readonly ObtainedFile[], provider: ExecutionProvider | null): void {
    this.#all.find((own) => own.provider === provider)?.files.pin(obtained);
  }

  /** The cache holds the files of a provider, or will not hold them. */
  stored(provider: ExecutionProvider | null): void {
    this.#all.find((own) => own.provider === provider)?.files.stored();
  }

  /** See `PinnedFiles`. */
  release(): void {
    for (const { files } of this.#all) files.release();
  }
}

function nothing(): never {
  throw new RangeError("expected the files of a provider, got none");
}
