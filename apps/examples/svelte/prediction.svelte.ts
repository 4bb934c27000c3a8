import type { BatchedModel, FramebatchError } from "framebatch";
import { onDestroy } from "svelte";

/**
 * Predicts `item()` each time that it changes. While a request waits for its batch, a newer one with the same `key`
 * takes its place, so fast changes never queue up. `null` predicts nothing.
 */
export function prediction<Input, Output>(
  model: () => BatchedModel<Input, Output>,
  item: () => Input | null,
  { key }: { key: string },
) {
  let outputs = $state.raw<Output>();
  let error = $state.raw<FramebatchError>();
  const life = new AbortController();
  onDestroy(() => life.abort());

  $effect(() => {
    const asked = item();
    if (asked === null) return;
    model()
      .predict(asked, { key, signal: life.signal })
      .then(
        (newest) => ([outputs, error] = [newest, undefined]),
        (failure: FramebatchError) => {
          if (!life.signal.aborted && failure.code !== "SUPERSEDED") error = failure;
        },
      );
  });

  return {
    get outputs() {
      return outputs;
    },
    get error() {
      return error;
    },
  };
}
