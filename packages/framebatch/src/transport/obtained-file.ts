import type { ExternalFile } from "./protocol.js";

/** The identity of a file that a worker has obtained. */
export interface ObtainedFile {
  /** Digest of its pieces; `null` if the page may not compute digests, or if the user has given the bytes. */
  readonly sha256: string | null;
  /** The downloaded `Blob`; `null` if the file came from the cache or with the request. */
  readonly blob: Blob | null;
  /** @default the cache cannot hold it */
  readonly origin?: FileOrigin | null;
  /** What later workers get, of a file that the worker has found beside the model. @default the page has named it */
  readonly beside?: ExternalFile | undefined;
}

/** What a file is a download of, under which the cache holds it or may hold it. */
export interface FileOrigin {
  readonly url: string;
  /** Identifies the version of the file; `null` if the server names none. */
  readonly validator: string | null;
}
