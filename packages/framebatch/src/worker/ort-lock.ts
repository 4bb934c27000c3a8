/**
 * Lets one call into ONNX Runtime run at a time: two at once on WebGPU block the worker for ever.
 *
 * The tail never rejects, so a task that fails fails alone.
 */
export class OrtLock {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `task` after every task given before it has settled; settles as `task` does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
