import {
  createBatchedModel,
  FramebatchError,
  toPrometheusText,
  type BatchedModel,
  type ModelOptions,
} from "framebatch";
import { distance } from "../fixtures/distance.js";
import { failureOf } from "../fixtures/failure.js";
import { itemFor, itemsFor } from "../fixtures/items.js";
import { createReference } from "../fixtures/reference.js";
import { keepLast } from "./keep-last.js";
import { expectEqual, expectTrue, type Promises } from "./promise.js";

const TINY = "/models/mlp-tiny.onnx";
/** Batches are dispatched only when they are full or flushed. */
const HELD: ModelOptions = { batching: { release: "window" }, maxQueueDelayMs: 600_000 };

/** The batch check must complete before the first batch, even on a busy machine. */
const CHECKED: ModelOptions = { executionProviders: ["wasm"], verify: { budgetMs: 600_000 } };

const shared = keepLast(load, (model) => model.dispose());

export const requests: Promises = {
  "predictDetailed reports the batch and the timing": using({}, async (model) => {
    const { outputs, origin, batch, timing } = await model.predictDetailed(itemFor("mlp-tiny", 1));
    expectEqual(outputs["y"]?.dims, [10]);
    expectEqual(origin, "device");
    expectEqual([batch?.size, batch?.paddedSize], [1, 1]);
    const { queueMs, inferenceMs, totalMs } = timing;
    expectTrue(
      [queueMs, inferenceMs, totalMs].every((ms) => ms >= 0),
      `times of 0 or more, got ${JSON.stringify(timing)}`,
    );
  }),

  "predictMany reports the index of an invalid item": using({}, async (model) => {
    const [first = [], second = []] = itemsFor("mlp-tiny", 2);
    const failure = await model.predictMany([first, new Float32Array(3), second]).catch((error: unknown) => error);
    expectEqual(failure instanceof FramebatchError && [failure.code, failure.details["index"]], ["INVALID_INPUT", 1]);
  }),

  "predictMany of an empty list resolves with an empty list": using({}, async (model) => {
    expectEqual(await model.predictMany([]), []);
  }),

  "predictStream keeps the order, and closes its source when the reader stops": using({}, async (model) => {
    let closed = false;
    function* source() {
      try {
        for (let seed = 1; ; seed += 1) yield itemFor("mlp-tiny", seed);
      } finally {
        closed = true;
      }
    }
    const reference = await createReference(TINY, "wasm");
    let read = 0;
    for await (const outputs of model.predictStream(source())) {
      const apart = distance(outputs, await reference.run(itemFor("mlp-tiny", ++read)));
      expectTrue(apart <= 1e-4, `answer ${read} in the right order`);
      if (read === 5) break;
    }
    expectEqual(closed, true, "source closed");
  }),

  "an abort in flight rejects at once, and its batch-mates are answered": using({}, async (model) => {
    const controller = new AbortController();
    const aborted = model.predict(itemFor("mlp-tiny", 1), { signal: controller.signal });
    const mate = model.predict(itemFor("mlp-tiny", 2));
    model.flush();
    controller.abort();
    expectEqual(await aborted.catch((error: unknown) => error instanceof DOMException && error.name), "AbortError");
    const direct = await (await createReference(TINY, "wasm")).run(itemFor("mlp-tiny", 2));
    expectTrue(distance(await mate, direct) <= 1e-4, "the batch-mate's own answer");
  }),

  "statistics count every request, and every batch fires an event": using({}, async (model) => {
    let rows = 0;
    model.addEventListener("batch", ({ detail }) => (rows += detail.size));
    await model.predictMany(itemsFor("mlp-tiny", 50));
    const { requests: counts, batchSize, batches, queueMs } = model.stats();
    expectEqual([counts.accepted, counts.completed, counts.queued, counts.inFlight, rows], [50, 50, 0, 0, 50]);
    expectEqual(batchSize.count, batches.count);
    expectEqual(queueMs.count, 50, "queue times");
    expectTrue(toPrometheusText(model.stats()).includes("framebatch_"), "Prometheus text");
    model.resetStats();
    expectEqual(model.stats().requests.completed, 0);
  }),

  "the caller can reuse its array at once, and outputs own their memory": using({}, async (model) => {
    const items = itemsFor("mlp-tiny", 4);
    const direct = await (await createReference(TINY, "wasm")).runAll(items);
    const scratch = new Float32Array(64);
    const calls = items.map(({ x }) => {
      for (const [index, element] of x?.data.entries() ?? []) scratch[index] = Number(element);
      return model.predict(scratch);
    });
    scratch.fill(Number.NaN);
    for (const [index, outputs] of (await Promise.all(calls)).entries()) {
      expectTrue(distance(outputs, direct[index]) <= 1e-4, `answer ${index} from the copy`);
      const data = outputs["y"]?.data;
      expectTrue(
        ArrayBuffer.isView(data) && data.buffer.byteLength === data.byteLength,
        "an output with its own memory",
      );
    }
  }),

  "a request with transfer is answered": using({}, async (model) => {
    const large = itemFor("mlp-tiny", 1).x?.data;
    expectTrue(large instanceof Float32Array, "an array");
    const direct = await (await createReference(TINY, "wasm")).run(itemFor("mlp-tiny", 1));
    const outputs = await model.predict(large instanceof Float32Array ? large : [], { transfer: true });
    expectTrue(distance(outputs, direct) <= 1e-4, "the right answer");
  }),

  "an aborted request rejects with the signal's own reason, before the call and in the queue": using(
    HELD,
    async (model) => {
      const reason = { why: "the user typed on" };
      const controller = new AbortController();
      const queued = model.predict(itemFor("mlp-tiny", 1), { signal: controller.signal }).catch(isReason);
      const early = model.predict(itemFor("mlp-tiny", 2), { signal: AbortSignal.abort(reason) }).catch(isReason);
      controller.abort(reason);
      expectEqual(await Promise.all([queued, early]), [true, true]);
      function isReason(error: unknown) {
        return error === reason;
      }
    },
  ),

  "a request whose timeoutMs passes rejects with TIMED_OUT": using(HELD, async (model) => {
    const failure = failureOf(model.predict(itemFor("mlp-tiny", 1), { timeoutMs: 5 }));
    // No answer can come in time: the batch is released before the timeout, but only once the page is free.
    for (const end = performance.now() + 20; performance.now() < end;);
    expectEqual((await failure)?.code, "TIMED_OUT");
  }),

  "a newer request with the same key supersedes a queued older one": using(HELD, async (model) => {
    const calls = itemsFor("mlp-tiny", 3).map((item) => failureOf(model.predict(item, { key: "pointer" })));
    const other = failureOf(model.predict(itemFor("mlp-tiny", 9), { key: "another" }));
    model.flush();
    const codes = (await Promise.all([...calls, other])).map((failure) => failure?.code ?? "answered");
    expectEqual(codes, ["SUPERSEDED", "SUPERSEDED", "answered", "answered"]);
  }),

  "user-blocking requests run before user-visible requests": using({ ...HELD, maxBatchSize: 1 }, async (model) => {
    const order: string[] = [];
    const asking = ["background", "user-visible", "user-blocking"] as const;
    const calls = asking.flatMap((priority) =>
      [1, 2].map((seed) => model.predict(itemFor("mlp-tiny", seed), { priority }).then(() => order.push(priority))),
    );
    model.flush();
    await Promise.all(calls);
    // The two background requests are in flight before the others are enqueued.
    expectTrue(
      order.lastIndexOf("user-blocking") < order.indexOf("user-visible"),
      `user-blocking first, got ${order.join()}`,
    );
  }),

  "a full queue rejects with OVERLOADED": using({ ...HELD, maxQueueSize: 4 }, async (model) => {
    const calls = itemsFor("mlp-tiny", 10).map((item) => failureOf(model.predict(item)));
    model.flush();
    const codes = (await Promise.all(calls)).map((failure) => failure?.code ?? "answered");
    expectTrue(
      codes.filter((code) => code === "OVERLOADED").length >= 4,
      `at least 4 requests rejected with OVERLOADED, got ${codes.join()}`,
    );
    expectTrue(
      codes.every((code) => code === "OVERLOADED" || code === "answered"),
      "no other outcome",
    );
  }),

  "a batch is dispatched when it is full and when it is flushed": using({ ...HELD, maxBatchSize: 4 }, async (model) => {
    const full = await Promise.all(itemsFor("mlp-tiny", 4).map((item) => model.predictDetailed(item)));
    const waiting = itemsFor("mlp-tiny", 2).map((item) => model.predictDetailed(item));
    model.flush();
    const reasons = [...full, ...(await Promise.all(waiting))].map(({ batch }) => batch?.reason);
    expectEqual(reasons, ["full", "full", "full", "full", "flush", "flush"]);
    expectEqual(
      full.map(({ batch }) => batch?.size),
      [4, 4, 4, 4],
    );
  }),

  "without batching each request runs alone": using({ batching: false }, async (model) => {
    const results = await Promise.all(itemsFor("mlp-tiny", 3).map((item) => model.predictDetailed(item)));
    expectEqual(
      results.map(({ batch }) => [batch?.size, batch?.reason]),
      Array.from({ length: 3 }, () => [1, "unbatched"]),
    );
  }),

  "identical items share a row, and cached results need none": using(
    { ...HELD, dedupe: true, resultCacheSize: 8 },
    async (model) => {
      const same = Array.from({ length: 4 }, () => model.predict(itemFor("mlp-tiny", 1)));
      model.flush();
      await Promise.all(same);
      const { batch } = await model.predictDetailed(itemFor("mlp-tiny", 1));
      expectEqual([batch, model.stats().batchSize.max], [null, 1]);
    },
  ),

  "of a failing batch, only the item that causes the failure is rejected": async () => {
    const model = await createBatchedModel("/models/fails-on-marked-row.onnx", CHECKED);
    const ids = [1n, 2n, 3n, 99n, 4n, 5n, 6n, 7n];
    const settled = await Promise.all(ids.map((id) => failureOf(model.predict({ id: BigInt64Array.of(id) }))));
    await model.dispose();
    const codes = settled.map((failure) => failure?.code ?? "answered");
    expectEqual(
      codes,
      ids.map((id) => (id === 99n ? "INFERENCE_FAILED" : "answered")),
    );
  },

  "dispose rejects open and later requests with DISPOSED": usingUp(HELD, async (model) => {
    const states: string[] = [];
    model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    const open = itemsFor("mlp-tiny", 5).map((item) => failureOf(model.predict(item)));
    await model.dispose();
    await model.dispose();
    const late = failureOf(model.predict(itemFor("mlp-tiny", 1)));
    const codes = (await Promise.all([...open, late])).map((failure) => failure?.code);
    expectEqual(
      codes,
      Array.from({ length: 6 }, () => "DISPOSED"),
    );
    expectEqual(states, ["disposed"]);
  }),

  "await using disposes a model": usingUp({}, async (model) => {
    // The code that compilers emit for engines without `await using` and `Symbol.asyncDispose`.
    const key: symbol = Reflect.get(Symbol, "asyncDispose") ?? Symbol.for("Symbol.asyncDispose");
    const dispose: unknown = Reflect.get(model, key);
    if (typeof dispose === "function") await Reflect.apply(dispose, model, []);
    expectEqual(model.state, "disposed");
  }),
};

/** A test with a model that adjacent tests with the same options share. */
function using(options: ModelOptions, keep: (model: BatchedModel) => Promise<void>): () => Promise<void> {
  return async () => {
    const model = await shared(options);
    model.resetStats();
    await keep(model);
  };
}

/** A test with its own model. */
function usingUp(options: ModelOptions, keep: (model: BatchedModel) => Promise<void>): () => Promise<void> {
  return async () => keep(await load(options));
}

function load(options: ModelOptions): Promise<BatchedModel> {
  return createBatchedModel(TINY, { ...CHECKED, ...options });
}
