import { AsyncBatcher } from "@tanstack/pacer/async-batcher";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Lane } from "./lane.js";
import { openPeer, type PeerBatcher, type RunItems } from "./peer-session.js";

/** The batcher sends its queue once no call has arrived for this time, in ms, or once `MAX_SIZE` calls are queued. */
const WAIT_MS = 10;
const MAX_SIZE = 64;

/**
 * TanStack Pacer's AsyncBatcher in front of a worker. It returns no results to callers, so each item carries its
 * callbacks.
 */
export const pacer: Lane = {
  name: "pacer",
  open: (model, backend) => openPeer(model, backend, pacerFor),
};

interface Call {
  readonly item: BenchItem;
  readonly resolve: (output: Numbers) => void;
  readonly reject: (error: unknown) => void;
}

function pacerFor(run: RunItems): PeerBatcher {
  const batcher = new AsyncBatcher<Call>((calls) => answer(calls, run), { maxSize: MAX_SIZE, wait: WAIT_MS });
  return {
    ask: (item) => new Promise((resolve, reject) => void batcher.addItem({ item, resolve, reject })),
    close: () => batcher.cancel(),
  };
}

async function answer(calls: readonly Call[], run: RunItems): Promise<void> {
  try {
    const outputs = await run(calls.map(({ item }) => item));
    for (const [index, { resolve }] of calls.entries()) resolve(outputs[index]!);
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}
