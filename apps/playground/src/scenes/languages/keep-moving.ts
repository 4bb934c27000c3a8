const PIXELS_PER_SECOND = 220;

/**
 * Scrolls a box automatically while the visitor does not use it, and restarts at the top after the end. Returns a
 * function that stops the scrolling.
 */
export function keepMoving(box: HTMLElement): () => void {
  let position = box.scrollTop;
  let lastMs = performance.now();
  const step = (nowMs: number): void => {
    const isUsed = box.matches(":hover, :focus, :active");
    // Accepts scrolling by the visitor. Differences of up to 2 px are due to rounding by the browser.
    if (isUsed || Math.abs(box.scrollTop - position) > 2) position = box.scrollTop;
    else position = advanced(box, position + (PIXELS_PER_SECOND * Math.min(100, nowMs - lastMs)) / 1000);
    lastMs = nowMs;
    frame = requestAnimationFrame(step);
  };
  let frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

function advanced(box: HTMLElement, position: number): number {
  const next = position >= box.scrollHeight - box.clientHeight ? 0 : position;
  box.scrollTop = next;
  return next;
}
