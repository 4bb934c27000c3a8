import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";

const TINY = MODEL_PATHS["mlp-tiny"];

test("dispose rejects what is open, and what comes later, with DISPOSED", async ({ harness }) => {
  const failures = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf, itemsFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const open = itemsFor("mlp-tiny", 20).map((item) => failureOf(model.predict(item)));
    const disposed = model.dispose();
    const late = failureOf(model.predict(itemsFor("mlp-tiny", 1)[0] ?? []));
    const settled = await Promise.all([...open, late]);
    await disposed;
    await model.dispose();
    return settled.map((failure) => failure?.code);
  }, TINY);
  expect(failures).toEqual(Array.from({ length: 21 }, () => "DISPOSED"));
});

test("dispose ends the worker", async ({ harness }) => {
  await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    await model.dispose();
  }, TINY);
  await expect.poll(() => harness.workers().length).toBe(0);
});

test("a newer request with the same key supersedes a queued older one", async ({ harness }) => {
  const codes = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf, itemsFor } = window.harness;
    const model = await createBatchedModel(url, {
      executionProviders: ["wasm"],
      batching: { release: "window" },
      maxQueueDelayMs: 60_000,
    });
    const calls = itemsFor("mlp-tiny", 3).map((item) => failureOf(model.predict(item, { key: "the pointer" })));
    const other = failureOf(model.predict(itemsFor("mlp-tiny", 1)[0] ?? [], { key: "another" }));
    model.flush();
    return (await Promise.all([...calls, other])).map((failure) => failure?.code ?? "answered");
  }, TINY);
  expect(codes).toEqual(["SUPERSEDED", "SUPERSEDED", "answered", "answered"]);
});

test("a request whose timeoutMs runs out rejects with TIMED_OUT", async ({ harness }) => {
  const failure = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf, itemFor } = window.harness;
    const model = await createBatchedModel(url, {
      executionProviders: ["wasm"],
      batching: { release: "window" },
      maxQueueDelayMs: 60_000,
    });
    return failureOf(model.predict(itemFor("mlp-tiny", 1), { timeoutMs: 20 }));
  }, TINY);
  expect(failure).toMatchObject({ code: "TIMED_OUT", name: "FramebatchError" });
});

test("an aborted request rejects with the signal's own reason", async ({ harness }) => {
  const same = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const reason = { why: "the user typed on" };
    const already = model.predict(itemFor("mlp-tiny", 1), { signal: AbortSignal.abort(reason) });
    return already.then(
      () => false,
      (error: unknown) => error === reason,
    );
  }, TINY);
  expect(same).toBe(true);
});

test("a batch leaves when it is full, when it is flushed, and alone where batching is off", async ({ harness }) => {
  const batches = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const slow = { executionProviders: ["wasm"], batching: { release: "window" }, maxQueueDelayMs: 60_000 } as const;
    const windowed = await createBatchedModel(url, { ...slow, maxBatchSize: 4 });
    const full = await Promise.all(itemsFor("mlp-tiny", 4).map((item) => windowed.predictDetailed(item)));
    const waiting = itemsFor("mlp-tiny", 2).map((item) => windowed.predictDetailed(item));
    windowed.flush();
    const flushed = await Promise.all(waiting);
    const unbatched = await createBatchedModel(url, { executionProviders: ["wasm"], batching: false });
    const alone = await Promise.all(itemsFor("mlp-tiny", 3).map((item) => unbatched.predictDetailed(item)));
    return [full, flushed, alone].map((group) =>
      group.map(({ batch }) => ({ size: batch?.size, reason: batch?.reason })),
    );
  }, TINY);
  expect(batches).toEqual([
    Array.from({ length: 4 }, () => ({ size: 4, reason: "full" })),
    Array.from({ length: 2 }, () => ({ size: 2, reason: "flush" })),
    Array.from({ length: 3 }, () => ({ size: 1, reason: "unbatched" })),
  ]);
});

test("an input that does not fit is refused, and harms no other", async ({ harness }) => {
  const codes = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf, itemFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const calls = [
      model.predict(itemFor("mlp-tiny", 1)),
      model.predict({ x: new Float32Array(63) }),
      model.predict({ z: new Float32Array(64) }),
      model.predict({ x: Array.from({ length: 64 }, () => "word") }),
      model.predict(itemFor("mlp-tiny", 2)),
    ];
    return (await Promise.all(calls.map(failureOf))).map((failure) => failure?.code ?? "answered");
  }, TINY);
  expect(codes).toEqual(["answered", "INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT", "answered"]);
});

test("a row that fails its batch fails alone", async ({ harness }) => {
  const codes = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const ids = [1n, 2n, 3n, 99n, 4n, 5n, 6n, 7n];
    const calls = ids.map((id) => failureOf(model.predict({ id: BigInt64Array.of(id) })));
    return (await Promise.all(calls)).map((failure) => failure?.code ?? "answered");
  }, MODEL_PATHS["fails-on-marked-row"]);
  expect(codes).toEqual(["answered", "answered", "answered", "INFERENCE_FAILED", ...Array(4).fill("answered")]);
});

test("the caller may reuse its array at once, and gets outputs of its own", async ({ harness }) => {
  const { distances, owned } = await harness.evaluate(async (url) => {
    const { createBatchedModel, createReference, distance, itemsFor } = window.harness;
    const items = itemsFor("mlp-tiny", 8);
    const reference = await createReference(url, "wasm");
    const expected = await reference.runAll(items);
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const scratch = new Float32Array(64);
    const calls = items.map(({ x }) => {
      for (const [index, element] of x?.data.entries() ?? []) scratch[index] = Number(element);
      return model.predict(scratch);
    });
    scratch.fill(Number.NaN);
    const results = await Promise.all(calls);
    return {
      distances: results.map((result, index) => distance(result, expected[index])),
      owned: results.map(({ y }) => y?.data instanceof Float32Array && y.data.buffer.byteLength === y.data.byteLength),
    };
  }, TINY);
  expect(Math.max(...distances)).toBeLessThanOrEqual(1e-4);
  expect(owned).not.toContain(false);
});

test("a stream that its reader leaves closes its source", async ({ harness }) => {
  const result = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    let pulled = 0;
    let closed = false;
    function* endless() {
      try {
        for (;;) yield itemFor("mlp-tiny", ++pulled);
      } finally {
        closed = true;
      }
    }
    let read = 0;
    for await (const output of model.predictStream(endless())) {
      if (output["y"] === undefined || ++read === 5) break;
    }
    return { read, closed, pulled };
  }, TINY);
  expect(result).toMatchObject({ read: 5, closed: true });
  expect(result.pulled).toBeLessThan(1000);
});

test("statistics account for every request, and every batch is announced", async ({ harness }) => {
  const { stats, announced } = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    let rows = 0;
    model.addEventListener("batch", ({ detail }) => {
      rows += detail.size;
    });
    const controller = new AbortController();
    const [first, ...rest] = itemsFor("mlp-tiny", 50);
    const aborted = model.predict(first ?? [], { signal: controller.signal }).catch(() => null);
    controller.abort();
    await Promise.all([aborted, ...rest.map((item) => model.predict(item))]);
    return { stats: model.stats(), announced: rows };
  }, TINY);
  const { accepted, completed, aborted, queued, inFlight } = stats.requests;
  expect({ accepted, completed, aborted, queued, inFlight }).toEqual({
    accepted: 50,
    completed: 49,
    aborted: 1,
    queued: 0,
    inFlight: 0,
  });
  expect(announced).toBe(49);
  expect(stats.batchSize.count).toBe(stats.batches.count);
});

test("the model tells its inputs and outputs", async ({ harness }) => {
  const facts = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    return { inputs: model.inputs, outputs: model.outputs, state: model.state };
  }, MODEL_PATHS.digits);
  expect(facts).toMatchObject({
    inputs: [{ name: "image", type: "float32", dims: [null, 1, 28, 28], batchAxis: 0 }],
    outputs: [{ name: "logits", type: "float32", dims: [null, 10], batchAxis: 0 }],
    state: "ready",
  });
});
