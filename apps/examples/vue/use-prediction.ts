import type { BatchedModel, FramebatchError } from "framebatch";
import { onScopeDispose, shallowRef, useId, watch, type Ref } from "vue";

/**
 * Predicts `item` each time that it changes. While a request waits for its batch, a newer one of the same component
 * takes its place (`key`), so fast changes never queue up. `null` predicts nothing, and has no outputs.
 */
export function usePrediction<Input, Output>(model: BatchedModel<Input, Output>, item: Readonly<Ref<Input | null>>) {
  const outputs = shallowRef<Output>();
  const error = shallowRef<FramebatchError>();
  const key = useId();
  const life = new AbortController();
  let turns = 0;
  let shown = 0;
  onScopeDispose(() => life.abort());

  function ask(asked: Input | null) {
    const turn = (turns += 1);
    // A request that runs is not superseded: its answer may come after that of a newer one, or after the item is gone.
    const show = (newest?: Output, failure?: FramebatchError) => {
      if (turn < shown) return;
      shown = turn;
      [outputs.value, error.value] = [newest, failure];
    };
    if (asked === null) return show();
    model.predict(asked, { key, signal: life.signal }).then(show, (failure: FramebatchError) => {
      if (!life.signal.aborted && failure.code !== "SUPERSEDED") show(undefined, failure);
    });
  }
  watch(item, ask, { immediate: true });

  return { outputs, error };
}
