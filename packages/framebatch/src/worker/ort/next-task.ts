/** Opened by the first call: to open a channel takes longer than to send a message through it. */
let channel: MessageChannel | null = null;
const waiting: (() => void)[] = [];

/** Resolves in a new task, after all queued tasks. Uses no timer, because browsers delay timers by milliseconds. */
export function nextTask(): Promise<void> {
  channel ??= openChannel();
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.addEventListener("message", () => waiting.shift()?.());
  opened.port1.start();
  return opened;
}
