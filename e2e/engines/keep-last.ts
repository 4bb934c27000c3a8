/**
 * Opens what a key stands for, and keeps it until another key is asked for: neighbours share it, and there is one at a
 * time, since an engine has room for a dozen or two of ONNX Runtime's memories.
 */
export function keepLast<Key, T>(
  open: (key: Key) => Promise<T>,
  close: (kept: T) => Promise<void>,
): (key: Key) => Promise<T> {
  let last: { readonly text: string; readonly value: Promise<T> } | null = null;
  return async (key) => {
    const text = JSON.stringify(key);
    if (last?.text === text) return last.value;
    const previous = last?.value;
    last = { text, value: open(key) };
    if (previous !== undefined) await previous.then(close, () => undefined);
    return last.value;
  };
}
