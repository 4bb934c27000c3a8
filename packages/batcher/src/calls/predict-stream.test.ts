import { describe, expect, it } from "vitest";
import { predictStream } from "./predict-stream.js";

/** Resolves after every task that is ready has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Predictions that the test answers one by one. `log` records the order of events. */
function stream(source: Iterable<string> | AsyncIterable<string>, targetRequests: () => number) {
  const log: string[] = [];
  const open = new Map<string, { resolve: (output: string) => void; reject: (error: Error) => void }>();
  const predict = (item: string): Promise<string> => {
    log.push(`ask ${item}`);
    return new Promise((resolve, reject) => open.set(item, { resolve, reject }));
  };
  const outputs = predictStream(source, {
    open: () => {},
    stopped: null,
    wants: (pulled) => pulled < Math.max(1, targetRequests()),
    predict,
    close: () => void log.push("close"),
  });
  const answer = (item: string): void => open.get(item)?.resolve(item.toUpperCase());
  return { log, outputs, open, answer };
}

/** A source that logs each pull and its own end. */
function* letters(log: string[]): Generator<string> {
  try {
    for (const letter of "abcdef") {
      log.push(`pull ${letter}`);
      yield letter;
    }
  } finally {
    log.push("stop");
  }
}

describe("predictStream", () => {
  it("yields in the source's order, whatever the order of the answers", async () => {
    const { outputs, answer } = stream(["a", "b", "c"], () => 3);
    const all = collect(outputs);
    await settled();
    for (const item of ["c", "b", "a"]) answer(item);
    await expect(all).resolves.toEqual(["A", "B", "C"]);
  });

  it("ends at once for an empty source", async () => {
    await expect(collect(stream([], () => 3).outputs)).resolves.toEqual([]);
  });

  it("pulls nothing before the first next(), and then at most targetRequests items ahead", async () => {
    const pulled: string[] = [];
    const { outputs, answer } = stream(letters(pulled), () => 2);
    await settled();
    expect(pulled).toEqual([]);
    const first = outputs.next();
    await settled();
    expect(pulled).toEqual(["pull a", "pull b"]);
    answer("a");
    await first;
    await settled();
    expect(pulled).toEqual(["pull a", "pull b"]);
    void outputs.next();
    await settled();
    expect(pulled).toEqual(["pull a", "pull b", "pull c"]);
  });

  it("follows targetRequests as it grows, and pulls one item at a time while it is zero", async () => {
    let targetRequests = 0;
    const pulled: string[] = [];
    const { outputs, answer } = stream(letters(pulled), () => targetRequests);
    const first = outputs.next();
    await settled();
    expect(pulled).toEqual(["pull a"]);
    answer("a");
    await first;
    targetRequests = 3;
    void outputs.next();
    await settled();
    expect(pulled).toEqual(["pull a", "pull b", "pull c", "pull d"]);
  });

  it("yields a result while the source is slow", async () => {
    async function* slow() {
      yield "a";
      await new Promise<never>(() => {});
    }
    const { outputs, answer } = stream(slow(), () => 4);
    const first = outputs.next();
    await settled();
    answer("a");
    await expect(first).resolves.toEqual({ done: false, value: "A" });
  });

  it("stops the source and closes the port after an early return()", async () => {
    const pulled: string[] = [];
    const { log, outputs, answer } = stream(letters(pulled), () => 2);
    const first = outputs.next();
    await settled();
    answer("a");
    await first;
    await outputs.return();
    expect(log).toEqual(["ask a", "ask b", "close"]);
    expect(pulled).toEqual(["pull a", "pull b", "stop"]);
    await expect(outputs.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it("does not wait for a source with an open pull after an early return()", async () => {
    async function* slow() {
      yield "a";
      await new Promise<never>(() => {});
    }
    const { outputs, answer, log } = stream(slow(), () => 4);
    const first = outputs.next();
    await settled();
    answer("a");
    await first;
    await outputs.return();
    expect(log).toEqual(["ask a", "close"]);
  });

  it("throws a failure at its turn, after the earlier results, and then stops the source", async () => {
    const pulled: string[] = [];
    const { outputs, open, answer, log } = stream(letters(pulled), () => 3);
    const first = outputs.next();
    await settled();
    open.get("b")?.reject(new Error("b is bad"));
    await settled();
    answer("a");
    await expect(first).resolves.toEqual({ done: false, value: "A" });
    await expect(outputs.next()).rejects.toThrow("b is bad");
    expect(log.at(-1)).toBe("close");
    expect(pulled.at(-1)).toBe("stop");
  });

  it("rethrows an error of the source, and does not stop a source that has ended", async () => {
    const calls: string[] = [];
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: true, value: undefined }),
        return: () => (calls.push("return"), Promise.resolve({ done: true, value: undefined })),
      }),
    };
    await expect(collect(stream(source, () => 2).outputs)).resolves.toEqual([]);
    expect(calls).toEqual([]);
    const broken = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("the source broke")) }) };
    await expect(collect(stream(broken, () => 2).outputs)).rejects.toThrow("the source broke");
  });
});

async function collect(outputs: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const output of outputs) all.push(output);
  return all;
}
