import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/**
 * Reads a file that came with the request. Browsers refuse any part of a `File` that has changed since the user picked it.
 * @throws MODEL_INTEGRITY when the file can no longer be read, and what `read` throws about it
 */
export async function readGiven<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof FramebatchError ? error : unreadable(error);
  }
}

function unreadable(error: unknown): FramebatchError {
  return new FramebatchError(
    "MODEL_INTEGRITY",
    `expected to read a file of the model as it was given, got a file that has changed, moved or disappeared since (${String(error)}); let the user pick it again, and create the model anew`,
    { cause: error },
  );
}
