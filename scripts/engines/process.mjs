import { once } from "node:events";
import { createInterface } from "node:readline";

const START_LIMIT_MS = 60_000;
const END_LIMIT_MS = 5000;

/**
 * Waits for the first line that matches a pattern, and returns its first group.
 *
 * @param {import("node:stream").Readable} stream
 * @param {RegExp} pattern
 * @returns {Promise<string>}
 */
export async function firstLine(stream, pattern) {
  const seen = [];
  const lines = createInterface({ input: stream, signal: AbortSignal.timeout(START_LIMIT_MS) });
  for await (const line of lines) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) {
      // Discards later output: otherwise the program blocks when the pipe is full.
      stream.resume();
      return found;
    }
    seen.push(line);
  }
  throw new Error(
    `expected a line that matches ${pattern} within ${START_LIMIT_MS / 1000} s, got:\n${seen.slice(-5).join("\n")}`,
  );
}

/** Ends a program: SIGTERM first, SIGKILL after 5 s. @param {import("node:child_process").ChildProcess} child */
export async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill("SIGKILL"), END_LIMIT_MS);
  child.kill();
  await once(child, "exit");
  clearTimeout(timer);
}
