import { FramebatchError } from "../../core/errors.js";

/** Bundlers make a chunk of what is imported so, and a page starts without it. @throws RUNTIME_LOAD_FAILED. */
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
