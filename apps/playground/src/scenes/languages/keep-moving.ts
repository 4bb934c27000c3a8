const PIXELS_PER_SECOND = 220;

/** Scrolls a box by itself, and from its end to its beginning, while nobody uses it. Returns how to stop. */
export function keepMoving(box: HTMLElement): () => void {
  let position = box.scrollTop;
  let lastMs = performance.now();
  const step = (nowMs: number): void => {
    const isUsed = box.matches(":hover, :focus, :active");
    // What somebody else has scrolled counts; what the browser has rounded does not.
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
