/** For lanes that cannot withdraw calls: an abort rejects the call, but the work still runs. */
export function refusing<Value>(signal: AbortSignal | undefined, answer: Promise<Value>): Promise<Value> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
