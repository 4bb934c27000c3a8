import type { ExternalFile, ModelLocation, ObtainedFile } from "../../transport/protocol.js";
import type { KeptSource } from "../options/model-source.js";

/** A file of weights beside the model. */
export interface KeptFile {
  readonly path: string;
  readonly source: KeptSource;
  readonly integrity: string | null;
}

/** Where a worker finds the files of a model. */
export interface FileLocations {
  readonly location: ModelLocation;
  readonly externalData: readonly ExternalFile[];
}

/**
 * The files of one model, for all its workers. A model is its bytes: what the first worker obtains is pinned by digest, and
 * every later worker of the model loads exactly these bytes or none, whatever the server has by then.
 */
export class PinnedFiles {
  readonly #model: PinnedFile;
  readonly #external: readonly (Omit<KeptFile, "source"> & { readonly file: PinnedFile })[];

  constructor(source: KeptSource, external: readonly KeptFile[]) {
    this.#model = new PinnedFile(source);
    this.#external = external.map(({ path, integrity, source: own }) => ({
      path,
      integrity,
      file: new PinnedFile(own),
    }));
  }

  /** Whether the model has an address, under which the cache may hold it. */
  get hasAddress(): boolean {
    return this.#model.hasAddress;
  }

  /** Bytes in the locations are fresh copies that may be transferred. */
  async locate(): Promise<FileLocations> {
    const [location, externalData] = await Promise.all([
      this.#model.locate(),
      Promise.all(
        this.#external.map(async ({ path, integrity, file }) => ({ path, integrity, location: await file.locate() })),
      ),
    ]);
    return { location, externalData };
  }

  /** @param obtained the model and then its external files, as a worker has them */
  pin(obtained: readonly ObtainedFile[]): void {
    for (const [index, file] of this.#files.entries()) {
      const found = obtained[index];
      if (found !== undefined) file.pin(found);
    }
  }

  /** Every worker has started: from here on the digests do. Keeps the bytes of a file that could not be had again. */
  release(): void {
    for (const file of this.#files) file.release();
  }

  get #files(): readonly PinnedFile[] {
    return [this.#model, ...this.#external.map(({ file }) => file)];
  }
}

class PinnedFile {
  readonly #source: KeptSource;
  /** Where the next worker gets it. */
  #next: KeptSource;
  #sha256: string | null = null;

  constructor(source: KeptSource) {
    this.#source = source;
    this.#next = source;
  }

  get hasAddress(): boolean {
    return "url" in this.#source;
  }

  async locate(): Promise<ModelLocation> {
    if ("url" in this.#next) return { url: this.#next.url, pinned: this.#sha256 };
    return { bytes: await this.#next.blob.arrayBuffer(), sha256: null };
  }

  pin({ sha256, blob }: ObtainedFile): void {
    if ("blob" in this.#next || this.#sha256 !== null) return;
    this.#sha256 = sha256;
    if (blob instanceof Blob) this.#next = { blob };
  }

  /** Without a digest nothing can prove other bytes right, and a `blob:` address may have been revoked. */
  release(): void {
    const isLasting = "url" in this.#source && /^https?:/.test(this.#source.url);
    if (isLasting && this.#sha256 !== null) this.#next = this.#source;
  }
}
