/** Resolves in a new task, so that what comes before and after it does not block the page for as long as both. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
