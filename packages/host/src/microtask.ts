/** Calls back in a microtask. */
export async function afterMicrotask(callback: () => void): Promise<void> {
  await Promise.resolve();
  callback();
}
