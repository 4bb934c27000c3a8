/** Keeps the page's thread busy for so long in every frame, as a page with other things to do would be. Returns how to stop. */
export function workEachFrame(workMs: number): () => void {
  let frame = requestAnimationFrame(function work() {
    frame = requestAnimationFrame(work);
    const untilMs = performance.now() + workMs;
    while (performance.now() < untilMs);
  });
  return () => cancelAnimationFrame(frame);
}
