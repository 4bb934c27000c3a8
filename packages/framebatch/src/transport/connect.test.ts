import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { connect } from "./connect.js";
import type { WorkerEndpoint } from "./transport.js";

const LISTENER = {
  onNotice: () => undefined,
  onAnswer: () => undefined,
  onError: () => undefined,
  onUnreadable: () => undefined,
};

/** A worker that never says anything. */
function silentWorker(): WorkerEndpoint {
  const target = new EventTarget();
  return {
    postMessage: () => undefined,
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
    terminate: () => undefined,
  };
}

/** Connects to a worker, asks it for something that it never answers, and ends it. Returns what is left of it. */
function ended(): WeakRef<WorkerEndpoint> {
  const worker = silentWorker();
  const transport = connect(worker, LISTENER);
  void transport.calls.recall([1]);
  transport.terminate();
  return new WeakRef(worker);
}

describe("a worker that has ended", () => {
  it("is garbage, also if a call to it was open", async () => {
    setFlagsFromString("--expose_gc");
    const collect: () => void = runInNewContext("gc");
    const left = Array.from({ length: 10 }, ended);
    // Proxies of a worker are garbage first, and what a registry holds for them after its callbacks.
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect(left.filter((worker) => worker.deref() !== undefined)).toHaveLength(0);
  });
});
