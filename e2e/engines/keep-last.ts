/**
 * Opens the value of a key, and keeps it until another key is requested. Adjacent tests with the same key share it.
 * Only one value is open at a time, because an engine has room for only one or two dozen WebAssembly memories of ONNX
 * Runtime.
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
