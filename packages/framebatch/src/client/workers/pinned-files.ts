import type { ExternalFile, FileOrigin, ModelLocation, ObtainedFile, ProviderFiles } from "../../transport/protocol.js";
import type { KeptSource } from "../options/model-source.js";
import type { ExecutionProvider } from "../../transport/providers.js";

/** A file of weights that belongs to the model. */
export interface KeptFile {
  readonly path: string;
  readonly source: KeptSource;
  readonly integrity: string | null;
}

/** The locations from which a worker loads the files of a model. */
export interface FileLocations {
  readonly location: ModelLocation;
  readonly externalData: readonly ExternalFile[];
  readonly variants: readonly ProviderFiles[];
}

/**
 * The files of one model, for all its workers. The bytes identify a model: the files that the first worker obtains are
 * pinned by digest. Every later worker loads exactly these bytes or fails, even if the server has newer files.
 * Downloaded bytes are kept until every worker has started, and the cache holds them or will not hold them.
 */
export class PinnedFiles {
  /** Whether each provider has files of its own. */
  readonly areByProvider = false;
  readonly #model: PinnedFile;
  #external: readonly (Omit<KeptFile, "source"> & { readonly file: PinnedFile })[];
  #areStored = false;
  #areReleased = false;

  constructor(source: KeptSource, external: readonly KeptFile[]) {
    this.#model = new PinnedFile(source);
    this.#external = external.map(({ path, integrity, source: own }) => ({
      path,
      integrity,
      file: new PinnedFile(own),
    }));
  }

  /** Whether the model has an address, so that the cache may hold it. */
  get hasAddress(): boolean {
    return this.#model.hasAddress;
  }

  /** Returns the locations for the next worker. */
  locate(): FileLocations {
    const externalData = this.#external.map(({ path, integrity, file }) => ({
      path,
      integrity,
      location: file.locate(),
    }));
    return { location: this.#model.locate(), externalData, variants: [] };
  }

  /**
   * Pins the files that a worker has obtained. Files that are already pinned, or were given as bytes, do not change.
   * Later workers get those that were found beside the model, too.
   * @param obtained the model first, then its external files
   */
  pin(obtained: readonly ObtainedFile[]): void {
    this.#add(obtained.slice(this.#files.length));
    for (const [index, file] of this.#files.entries()) {
      const found = obtained[index];
      if (found !== undefined) file.pin(found);
    }
  }

  /** The cache holds the files, or will not hold them. */
  stored(): void {
    this.#areStored = true;
    this.#drop();
  }

  /** Every worker has started. Later workers obtain the files again and check the digests. */
  release(): void {
    this.#areReleased = true;
    this.#drop();
  }

  /** Keeps the bytes of a file that cannot be obtained again. */
  #drop(): void {
    if (this.#areStored && this.#areReleased) for (const file of this.#files) file.drop();
  }

  #add(found: readonly ObtainedFile[]): void {
    const files = found.flatMap(({ beside }) =>
      beside === undefined || !("url" in beside.location)
        ? []
        : [{ path: beside.path, integrity: null, file: new PinnedFile({ url: beside.location.url }) }],
    );
    this.#external = [...this.#external, ...files];
  }

  get #files(): readonly PinnedFile[] {
    return [this.#model, ...this.#external.map(({ file }) => file)];
  }
}

class PinnedFile {
  readonly #source: KeptSource;
  /** Source for the next worker. */
  #next: KeptSource;
  #sha256: string | null = null;
  #origin: FileOrigin | null = null;

  constructor(source: KeptSource) {
    this.#source = source;
    this.#next = source;
  }

  get hasAddress(): boolean {
    return "url" in this.#source;
  }

  locate(): ModelLocation {
    return "url" in this.#next
      ? { url: this.#next.url, pinned: this.#sha256 }
      : { blob: this.#next.blob, sha256: this.#sha256, origin: this.#origin };
  }

  pin({ sha256, blob, origin = null }: ObtainedFile): void {
    if ("blob" in this.#source || this.#sha256 !== null) return;
    this.#sha256 = sha256;
    this.#origin = origin;
    if (blob !== null && "url" in this.#next) this.#next = { blob };
  }

  /**
   * Drops the kept bytes if the file has an http(s) address and a digest. Without a digest, changed bytes could not be
   * detected, and a `blob:` address may have been revoked.
   */
  drop(): void {
    const isLasting = "url" in this.#source && /^https?:/.test(this.#source.url);
    if (isLasting && this.#sha256 !== null) this.#next = this.#source;
  }
}

/** The files of one provider. */
interface OwnFiles {
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
    const [{ location, externalData } = throwNoFiles()] = variants;
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

function throwNoFiles(): never {
  throw new RangeError("expected the files of a provider, got none");
}
