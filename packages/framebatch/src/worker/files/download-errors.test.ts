import { describe, expect, it } from "vitest";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError, type ErrorDetails } from "@framebatch/batcher/errors/errors.js";
import { withRetries } from "./download-errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Attempts that fail with these errors in turn and then succeed, with a log of when each began. */
function trying(failures: readonly Error[], random = 0) {
  const clock = new ManualClock();
  const log: string[] = [];
  const left = [...failures];
  const attempt = () => {
    log.push(`try at ${clock.now()}`);
    const next = left.shift();
    return next === undefined ? Promise.resolve("model") : Promise.reject(next);
  };
  const host = { timer: clock, random: () => random, onWait: () => log.push(`wait at ${clock.now()}`) };
  const outcome = withRetries(attempt, host).then(String, (error: unknown) => error);
  return { clock, log, outcome };
}

function failure(code: ErrorCode, details: ErrorDetails = {}): FramebatchError {
  return new FramebatchError(code, "it failed", { details });
}

const network = failure("MODEL_NETWORK");

describe("withRetries", () => {
  it("waits for 125 to 250 ms before the second attempt, and four times as long before the third", async () => {
    for (const [random, first, second] of [
      [0, 125, 500],
      [1, 250, 1000],
    ] as const) {
      const { clock, log, outcome } = trying([network, network], random);
      await settled();
      clock.advanceTo(first - 1);
      await settled();
      expect(log).toEqual(["try at 0", "wait at 0"]);
      clock.advanceTo(first);
      await settled();
      clock.advanceTo(first + second - 1);
      await settled();
      expect(log).toHaveLength(4);
      clock.advanceTo(first + second);
      expect(await outcome).toBe("model");
      expect(log.at(-1)).toBe(`try at ${first + second}`);
      expect(clock.pending).toBe(0);
    }
  });

  it("gives up after the third attempt, and reports the number of attempts", async () => {
    const { clock, log, outcome } = trying([network, network, network, network]);
    for (const atMs of [0, 125, 625]) {
      await settled();
      clock.advanceTo(atMs);
    }
    expect(await outcome).toMatchObject({
      code: "MODEL_NETWORK",
      message: "it failed (tried 3 times)",
      details: { tries: 3 },
    });
    expect(log.filter((line) => line.startsWith("try"))).toHaveLength(3);
  });

  it.each([
    failure("MODEL_STATUS", { status: 404 }),
    failure("MODEL_STATUS", { status: 206 }),
    failure("MODEL_HTML"),
    failure("MODEL_INVALID"),
    failure("MODEL_INTEGRITY"),
    failure("MODEL_OFFLINE"),
    failure("MODEL_TOO_LARGE"),
    failure("MODEL_STALLED"),
    failure("MODEL_STATUS", { status: 503, retryAfterMs: 10_001 }),
    new RangeError("a bug"),
  ])("does not retry after %s %j", async (error) => {
    const { clock, log, outcome } = trying([error]);
    expect(await outcome).toBe(error);
    expect(log).toEqual(["try at 0"]);
    expect(clock.pending).toBe(0);
  });

  it.each([failure("MODEL_TRUNCATED"), ...[408, 429, 500, 503].map((status) => failure("MODEL_STATUS", { status }))])(
    "retries after %s %j",
    async (error) => {
      const { clock, outcome } = trying([error]);
      await settled();
      clock.advanceTo(125);
      expect(await outcome).toBe("model");
    },
  );

  it.each(["MODEL_CORS", "MODEL_REDIRECT"] as const)(
    "retries once after %s, because a broken connection can look the same",
    async (code) => {
      const { clock, log, outcome } = trying([failure(code), failure(code)]);
      await settled();
      clock.advanceTo(125);
      expect(await outcome).toMatchObject({ code, details: { tries: 2 } });
      expect(log.filter((line) => line.startsWith("try"))).toHaveLength(2);
    },
  );

  it("waits as long as the server requests, and calls onWait every second", async () => {
    const { clock, log, outcome } = trying([failure("MODEL_STATUS", { status: 429, retryAfterMs: 2500 })]);
    for (const atMs of [0, 1000, 2000, 2499]) {
      await settled();
      clock.advanceTo(atMs);
    }
    await settled();
    expect(log).toEqual(["try at 0", "wait at 0", "wait at 1000", "wait at 2000"]);
    clock.advanceTo(2500);
    expect(await outcome).toBe("model");
  });
});
