import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ExternalFile, LoadRequest } from "../../transport/protocol.js";

/**
 * Returns the files with weights to which a model refers and which were not given, where they are fetched: beside a
 * model with an address, under the same name. With `integrity`, nothing is fetched whose digest is not given, too.
 *
 * @param paths those to which the model refers
 * @throws INVALID_OPTION for a file that is neither given nor fetched
 */
export function filesBeside(request: LoadRequest, paths: readonly string[]): ExternalFile[] {
  const given = new Set(request.externalData.map(({ path }) => plainPath(path)));
  const missing = paths.filter((path) => !given.has(plainPath(path)));
  return missing.map((path) => {
    const url = addressBeside(request, plainPath(path));
    if (url === null) throw notGiven(path, request.integrity === null ? "none" : "none, and integrity");
    return { path, location: { url, pinned: null }, integrity: null };
  });
}

/** Returns the error for a file beside the model that could not be obtained, with the same code. */
export function notBeside(path: string, cause: unknown): unknown {
  if (!(cause instanceof FramebatchError)) return cause;
  return new FramebatchError(
    cause.code,
    `expected the file ${JSON.stringify(path)}, to which the model refers, beside the model, got none (${cause.message}); ${fixFor(path)}`,
    { cause, details: { ...cause.details, externalData: path } },
  );
}

function notGiven(path: string, got: string): FramebatchError {
  return new FramebatchError(
    "INVALID_OPTION",
    `externalData: expected the file ${JSON.stringify(path)}, to which the model refers, got ${got}; ${fixFor(path)}`,
    { details: { externalData: path } },
  );
}

function fixFor(path: string): string {
  return `write externalData: [{ path: ${JSON.stringify(path)}, source: ADDRESS OR BYTES }], or export the model in one file (torch: external_data=False)`;
}

/** Returns `null` for a path that is no plain file name, and for a model whose address has no folder. */
function addressBeside({ location, integrity }: LoadRequest, path: string): string | null {
  const isPlain = /^[^/\\:]+$/.test(path) && path !== "..";
  if (!isPlain || integrity !== null || !("url" in location) || !/^https?:/.test(location.url)) return null;
  return new URL(encodeURIComponent(path), location.url).href;
}

/** Python writes "./model.data" for a file beside the model, too. */
function plainPath(path: string): string {
  return path.replace(/^\.\//, "");
}
