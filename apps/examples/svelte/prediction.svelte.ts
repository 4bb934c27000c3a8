import type { BatchedModel, FramebatchError } from "framebatch";
import { onDestroy } from "svelte";

/**
 * Predicts `item()` each time that it changes. While a request waits for its batch, a newer one with the same `key`
 * takes its place, so fast changes never queue up. `null` predicts nothing, and has no outputs.
 */
export function prediction<Input, Output>(
  model: () => BatchedModel<Input, Output>,
  item: () => Input | null,
  { key }: { key: string },
) {
  let outputs = $state.raw<Output>();
  let error = $state.raw<FramebatchError>();
  const life = new AbortController();
  let turns = 0;
  let shown = 0;
  onDestroy(() => life.abort());

  $effect(() => {
    const asked = item();
    const turn = (turns += 1);
    // A request that runs is not superseded: its answer may come after that of a newer one, or after the item is gone.
    const show = (newest?: Output, failure?: FramebatchError) => {
      if (turn < shown) return;
      shown = turn;
      [outputs, error] = [newest, failure];
    };
    if (asked === null) return show();
    model()
      .predict(asked, { key, signal: life.signal })
      .then(show, (failure: FramebatchError) => {
        if (!life.signal.aborted && failure.code !== "SUPERSEDED") show(undefined, failure);
      });
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
