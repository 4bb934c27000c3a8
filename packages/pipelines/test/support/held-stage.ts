import type { StageCallOptions } from "../../src/builder/pipeline.js";

/** A call of a held stage, which ends when the test says so. */
export interface HeldCall<In, Out> {
  readonly item: In;
  readonly options: StageCallOptions;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

/** A function for a stage, and the calls that it got, in order. */
export function heldStage<In, Out>() {
  const calls: HeldCall<In, Out>[] = [];
  const stage = (item: In, options: StageCallOptions) =>
    new Promise<Out>((resolve, reject) => calls.push({ item, options, resolve, reject }));
  return { calls, stage, items: () => calls.map(({ item }) => item) };
}

/** Resolves when all promises that can settle have settled. */
export function settled() {
  return new Promise<void>((resolve) => setImmediate(resolve));
}
