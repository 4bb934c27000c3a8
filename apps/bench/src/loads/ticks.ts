/**
 * Calls `callback` about every millisecond, until the returned function is called. Browsers delay nested timers to at
 * least 4 ms, but a timer that is set in a message handler fires after 1 ms.
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

/** Calls `callback` at the start of each frame, until the returned function is called. */
export function everyFrame(callback: () => void): () => void {
  let request = requestAnimationFrame(function tick() {
    request = requestAnimationFrame(tick);
    callback();
  });
  return () => cancelAnimationFrame(request);
}
