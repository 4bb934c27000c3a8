import type { BatchedModel, FramebatchError } from "framebatch";
import { onScopeDispose, shallowRef, useId, watch, type Ref } from "vue";

/**
 * Predicts `item` each time that it changes. While a request waits for its batch, a newer one of the same component
 * takes its place (`key`), so fast changes never queue up. `null` predicts nothing.
 */
export function usePrediction<Input, Output>(model: BatchedModel<Input, Output>, item: Readonly<Ref<Input | null>>) {
  const outputs = shallowRef<Output>();
  const error = shallowRef<FramebatchError>();
  const key = useId();
  const life = new AbortController();
  onScopeDispose(() => life.abort());

  function ask(asked: Input | null) {
    if (asked === null) return;
    model.predict(asked, { key, signal: life.signal }).then(
      (newest) => ([outputs.value, error.value] = [newest, undefined]),
      (failure: FramebatchError) => {
        if (!life.signal.aborted && failure.code !== "SUPERSEDED") error.value = failure;
      },
    );
  }
  watch(item, ask, { immediate: true });

  return { outputs, error };
}
