import { vi } from "vitest";

/** Fakes what loads take the time from. */
export function fakeTime(): void {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setInterval", "clearInterval"] });
}

/**
 * Lets a minute of fake time pass. `runAllTimers` would not end if a worker of an earlier test, which shares the process,
 * sets one timer after another.
 */
export async function aMinute(): Promise<void> {
  await vi.advanceTimersByTimeAsync(60_000);
}
