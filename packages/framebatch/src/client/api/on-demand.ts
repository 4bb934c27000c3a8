import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/**
 * Loads code with a dynamic import, which bundlers put into a chunk of its own, so that a page starts without it.
 * @throws RUNTIME_LOAD_FAILED when the chunk cannot be loaded.
 */
export async function importOnDemand<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new FramebatchError(
      "RUNTIME_LOAD_FAILED",
      `expected framebatch's own code to load, got a failure; check that the files of this build are still served, and reload the page (${String(error)})`,
      { cause: error },
    );
  }
}
