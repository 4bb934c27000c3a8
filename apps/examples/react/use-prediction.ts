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
 * takes its place (`key`), so fast changes never queue up. `null` predicts nothing.
 *
 * Keep the identity of `item` while it is the same, with `useMemo`: each new object is a new request.
 */
export function usePrediction<Input, Output>(model: BatchedModel<Input, Output>, item: Input | null) {
  const key = useId();
  const life = useRef(new AbortController());
  const [prediction, setPrediction] = useState<Prediction<Output>>({});

  useEffect(() => {
    life.current = new AbortController();
    return () => life.current.abort();
  }, []);

  useEffect(() => {
    if (item === null) return;
    const { signal } = life.current;
    model.predict(item, { key, signal }).then(
      (outputs) => setPrediction({ outputs }),
      (error: FramebatchError) => {
        if (!signal.aborted && error.code !== "SUPERSEDED") setPrediction({ error });
      },
    );
  }, [model, item, key]);

  return prediction;
}
