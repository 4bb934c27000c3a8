/**
 * The property of every message that framebatch sends on a connection. A page and its own worker may send each other any
 * message without it.
 */
export interface Mark {
  readonly isFramebatch: true;
}

/** Returns a message as it is sent. */
export function marked<Message extends object>(message: Message): Message & Mark {
  return { ...message, isFramebatch: true };
}

/** Whether framebatch has sent the message of an event, and not other code. */
export function isOwnMessage<Message extends object>(event: Event): event is MessageEvent<Message> {
  const data: unknown = "data" in event ? event.data : null;
  return typeof data === "object" && data !== null && ("isFramebatch" in data || isOfFirstVersion(data));
}

/** Whether a worker of framebatch 0.1.0, which marks no message, says that it is ready. The page rejects it by its version. */
function isOfFirstVersion(data: object): boolean {
  return "version" in data && data.version === "0.1.0" && "notice" in data;
}
