/** Resolves when every message that is on its way between threads has been handled, however slow the machine is. */
export async function messages(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}
