/**
 * Calls back about every millisecond, until the function that it returns is called. A timer that a timer sets comes after
 * 4 ms at the earliest; one that a message sets comes after 1.
 */
export function everyMillisecond(callback: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  port1.onmessage = () => {
    timer = setTimeout(() => {
      port2.postMessage(null);
      callback();
    }, 1);
  };
  port2.postMessage(null);
  return () => {
    clearTimeout(timer);
    port1.close();
  };
}

/** Calls back as each frame begins, until the function that it returns is called. */
export function everyFrame(callback: () => void): () => void {
  let request = requestAnimationFrame(function tick() {
    request = requestAnimationFrame(tick);
    callback();
  });
  return () => cancelAnimationFrame(request);
}
