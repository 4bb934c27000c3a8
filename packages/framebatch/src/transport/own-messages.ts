/**
 * The property of every message that framebatch sends on a connection. A page and its own worker may send each other any
 * message without it.
 */
interface Mark {
  readonly isFramebatch: true;
}

/** Returns a message as it is sent. */
export function marked<Message extends object>(message: Message): Message & Mark {
  return { ...message, isFramebatch: true };
}

/** Returns the message of an event if framebatch has sent it, `null` if other code has. */
export function ownMessage(event: Event): object | null {
  const data: unknown = "data" in event ? event.data : null;
  if (typeof data !== "object" || data === null) return null;
  return "isFramebatch" in data || isOfFirstVersion(data) ? data : null;
}

/** Whether a worker of framebatch 0.1.0, which marks no message, says that it is ready. The page rejects it by its version. */
function isOfFirstVersion(data: object): boolean {
  return "version" in data && data.version === "0.1.0" && "notice" in data;
}
