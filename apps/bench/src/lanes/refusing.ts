/** For lanes that cannot withdraw a call: whoever aborts stops waiting, and the work is done all the same. */
export function refusing<Value>(signal: AbortSignal | undefined, answer: Promise<Value>): Promise<Value> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
