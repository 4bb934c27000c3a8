/** Tests that framebatch must pass in every engine, by title. Each runs in the page, and rejects if it fails. */
export type Promises = Readonly<Record<string, () => Promise<void>>>;

export interface Verdict {
  readonly promise: string;
  readonly outcome: "kept" | "broken" | "skipped";
  /** Why the test failed or was skipped; empty if it passed. */
  readonly why: string;
  readonly ms: number;
}

/** Thrown by a test that cannot run in this engine. The test counts as skipped. */
export class NotHere extends Error {}

const DEADLINE_MS = 60_000;

/** Runs one test. Never rejects, and always ends within the deadline. Tests must run one at a time. */
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

/** @throws Error when the two differ as JSON. */
export function expectEqual(actual: unknown, expected: unknown, what = "value"): void {
  const [got, wanted] = [actual, expected].map(asText);
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

export function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(`expected ${what}`);
}

function withinDeadline(work: Promise<void>): Promise<void> {
  const late = new Promise<void>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`the test did not end within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  return Promise.race([work, late]);
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Converts a value to JSON; bigints, NaN and infinities become strings. */
function asText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part === "bigint") return `${part}n`;
      if (typeof part === "number" && !Number.isFinite(part)) return String(part);
      return part;
    }) ?? "undefined"
  );
}
