import type { BatchedModel, FramebatchError } from "framebatch";
import { useEffect, useId, useRef, useState } from "react";

export interface Prediction<Output> {
  /** The newest outputs; `undefined` until the first are there. */
  readonly outputs?: Output;
  /** Why the newest request failed. */
  readonly error?: FramebatchError;
}

/**
 * Predicts `item` each time that it changes. While a request waits for its batch, a newer one of the same component
 * takes its place (`key`), so fast changes never queue up. `null` predicts nothing, and has no outputs.
 *
 * Keep the identity of `item` while it is the same, with `useMemo`: each new object is a new request.
 */
export function usePrediction<Input, Output>(model: BatchedModel<Input, Output>, item: Input | null) {
  const key = useId();
  const life = useRef(new AbortController());
  const asked = useRef(0);
  const shown = useRef(0);
  const [prediction, setPrediction] = useState<Prediction<Output>>({});

  useEffect(() => {
    life.current = new AbortController();
    return () => life.current.abort();
  }, []);

  useEffect(() => {
    const turn = (asked.current += 1);
    // A request that runs is not superseded: its answer may come after that of a newer one, or after the item is gone.
    const show = (newest: Prediction<Output>) => {
      if (turn < shown.current) return;
      shown.current = turn;
      setPrediction(newest);
    };
    if (item === null) return show({});
    const { signal } = life.current;
    model.predict(item, { key, signal }).then(
      (outputs) => show({ outputs }),
      (error: FramebatchError) => {
        if (!signal.aborted && error.code !== "SUPERSEDED") show({ error });
      },
    );
  }, [model, item, key]);

  return prediction;
}
