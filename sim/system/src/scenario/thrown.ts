/** What a function of the caller may throw: anything. */
export type Thrown = "error" | "plain" | "symbol" | "nothing" | "unreadable" | "text";

export const THROWN: readonly Thrown[] = ["error", "plain", "symbol", "nothing", "unreadable", "text"];

/** Returns a new value of a kind. */
export function thrownValue(kind: Thrown, name: string): unknown {
  switch (kind) {
    case "error":
      return new Error(`thrown by ${name}`);
    case "plain":
      return Object.create(null);
    case "symbol":
      return Symbol(name);
    case "nothing":
      return undefined;
    case "unreadable":
      return Object.defineProperty(new Error("hidden"), "message", {
        get(): string {
          throw new TypeError("no message");
        },
      });
    case "text":
      return `text of ${name}`;
  }
}

/** Whether an error is a value, or has it among its causes. */
export function comesFrom(error: unknown, thrown: unknown): boolean {
  let link = error;
  for (let depth = 0; depth < 8; depth++) {
    if (Object.is(link, thrown)) return true;
    if (typeof link !== "object" || link === null) return false;
    link = Reflect.get(link, "cause");
  }
  return false;
}
