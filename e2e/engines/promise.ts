/** What framebatch promises in every engine, by its sentence; done in the page, and rejected where it is broken. */
export type Promises = Readonly<Record<string, () => Promise<void>>>;

export interface Verdict {
  readonly promise: string;
  readonly outcome: "kept" | "broken" | "skipped";
  /** Why it is not kept; empty where it is. */
  readonly why: string;
  readonly ms: number;
}

/** Thrown by a promise that an engine gives no occasion to keep. */
export class NotHere extends Error {}

const DEADLINE_MS = 60_000;

/** One at a time, in order. Never rejects, and ends whatever happens. */
export async function ask(promise: string, keep: () => Promise<void>): Promise<Verdict> {
  const startedAtMs = performance.now();
  const verdict = (outcome: Verdict["outcome"], why = ""): Verdict => ({
    promise,
    outcome,
    why,
    ms: Math.round(performance.now() - startedAtMs),
  });
  try {
    await withinDeadline(keep());
    return verdict("kept");
  } catch (error) {
    return error instanceof NotHere ? verdict("skipped", error.message) : verdict("broken", describe(error));
  }
}

/** @throws where the two differ as data. */
export function expectEqual(actual: unknown, expected: unknown, what = "value"): void {
  const [got, wanted] = [actual, expected].map(asText);
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

export function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected ${what}`);
}

function withinDeadline(work: Promise<void>): Promise<void> {
  const late = new Promise<void>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`expected an end within ${DEADLINE_MS} ms, got none`)), DEADLINE_MS);
  });
  return Promise.race([work, late]);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** JSON, with what it cannot hold spelled out. */
function asText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part === "bigint") return `${part}n`;
      if (typeof part === "number" && !Number.isFinite(part)) return String(part);
      return part;
    }) ?? "undefined"
  );
}
