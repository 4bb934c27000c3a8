import type { Cancel } from "@framebatch/host/clock.js";
import type { Policy } from "../policy.js";
import { Device } from "./device.js";
import type { Waiting } from "./fifo.js";

const BATCH_WAIT_TIMEOUT_MS = 10;

/** Ray Serve: forms the batch before it takes the concurrency limit, so a busy model never makes batches larger. */
export const ray: Policy = ({ clock, engine, maxBatchSize }) => {
  const ready: Waiting[][] = [];
  let forming: Waiting[] = [];
  let cancelTimer: Cancel | null = null;
  const device = new Device(engine, runNext);

  function runNext(): void {
    const batch = device.isBusy ? undefined : ready.shift();
    if (batch !== undefined) device.run(batch);
  }

  function close(): void {
    cancelTimer?.();
    cancelTimer = null;
    ready.push(forming);
    forming = [];
    runNext();
  }

  return {
    enqueue(item, sink) {
      forming.push({ item, sink, enqueuedAtMs: clock.now() });
      if (forming.length >= maxBatchSize) close();
      else cancelTimer ??= clock.schedule(clock.now() + BATCH_WAIT_TIMEOUT_MS, close);
    },
    stop() {},
  };
};
