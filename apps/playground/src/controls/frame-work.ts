/**
 * Blocks the main thread for `workMs` milliseconds in every frame, like a page with other work. Returns a function that
 * stops it.
 */
export function workEachFrame(workMs: number): () => void {
  let frame = requestAnimationFrame(function work() {
    frame = requestAnimationFrame(work);
    const untilMs = performance.now() + workMs;
    while (performance.now() < untilMs);
  });
  return () => cancelAnimationFrame(frame);
}
