import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Loans } from "../../../src/client/workers/loans.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Loans that are open until the test gives them back, and what has happened. */
function lending(count: number) {
  const loans = new Loans();
  const log: string[] = [];
  const back = Array.from({ length: count }, (_, index) => {
    let resolve: (value: string) => void = () => undefined;
    void loans.lend(new Promise<string>((resolveIt) => (resolve = resolveIt))).then(
      (value) => log.push(value),
      (reason) => log.push(`${index} rejects: ${reason}`),
    );
    return () => resolve(`${index} is back`);
  });
  const end = () => loans.terminateAfterReturns(() => log.push("terminated"), "it died");
  return { log, back, end };
}

describe("a worker that is to be ended", () => {
  it("is ended at once where nothing is lent to it", () => {
    const { log, end } = lending(0);
    end();
    expect(log).toEqual(["terminated"]);
  });

  it("is ended once all is back", async () => {
    const { log, back, end } = lending(2);
    end();
    back[0]?.();
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual(["0 is back"]);
    back[1]?.();
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual(["0 is back", "1 is back", "terminated"]);
  });

  it("is ended after half a second, and what it has is lost", async () => {
    const { log, end } = lending(1);
    end();
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["terminated", "0 rejects: it died"]);
  });
});
