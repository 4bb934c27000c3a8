import type { Page } from "@playwright/test";
import { buffersOf, countBuffers } from "../support/pages/device-buffers.js";
import { expect, LONG, test } from "../support/test.js";

/** A model with a state of dims [2, batch, 4], and one of them with another state, of dims [batch] and type int64. */
const MODELS = {
  layers: { url: "/models/sequence-layers.onnx", recurrent: { state: "stateN" } },
  two: { url: "/models/sequence-two-states.onnx", recurrent: { length: "lengthN", state: "stateN" } },
} as const;

interface Walk {
  readonly model: keyof typeof MODELS;
  readonly provider: "webgpu" | "wasm";
  /** Whether the device is lost half way. */
  readonly loses?: boolean;
}

/** Opens a model, and makes sequences go side by side that have different lengths and lose steps to aborts and resets. */
async function walk(page: Page, { model, provider, loses = false }: Walk) {
  const handle = await page.evaluateHandle(
    async ({ url, recurrent, providers }) => {
      const { createBatchedModel } = window.harness;
      const batchAxis = { state: 1, stateN: 1 };
      const verify = { budgetMs: 600_000 };
      const opened = await createBatchedModel(url, { executionProviders: providers, recurrent, batchAxis, verify });
      const sequences = Array.from({ length: 5 }, () => opened.sequence({ snapshotEvery: 3 }));
      const itemOf = (sequence: number, step: number) => ({
        x: Float32Array.from({ length: 4 }, (_, at) => sequence * 7 + step * 3 + at),
      });
      const told: string[] = [];
      const steps = async (first: number, count: number) => {
        const walks = sequences.map(async (sequence, index) => {
          for (let step = first; step < first + count; step += 1) {
            // Some do not take part in each batch, so that rows of different buffers meet.
            if ((step + index) % 4 === 0) continue;
            if (step % 5 === index) sequence.reset();
            const aborts = new AbortController();
            if ((step + index) % 6 === 1)
              void sequence.predict(itemOf(index, -step), { signal: aborts.signal }).catch(() => undefined);
            aborts.abort();
            const { y } = await sequence.predict(itemOf(index, step));
            told.push(`${index} ${step}: ${y!.data.join()}`);
          }
          const states = await sequence.snapshot();
          told.push(
            `${index}: ${Object.entries(states)
              .map(([name, { data }]) => `${name} ${data.join()}`)
              .join()}`,
          );
        });
        // Requests without a sequence share their batches, and start from zeros.
        const alone = Array.from({ length: count }, (_, step) => opened.predict(itemOf(9, step)));
        for (const { y } of await Promise.all(alone)) told.push(`alone: ${y!.data.join()}`);
        await Promise.all(walks);
      };
      return { opened, sequences, steps, told };
    },
    { ...MODELS[model], providers: [provider] },
  );
  await handle.evaluate(({ steps }) => steps(0, 12));
  if (loses) await page.workers().at(-1)?.evaluate("self.devices.at(-1).destroy()");
  await handle.evaluate(({ steps }) => steps(12, 12));
  return handle;
}

for (const model of ["layers", "two"] as const) {
  for (const loses of [false, true]) {
    const when = loses ? ", although the device is lost" : "";
    test(
      `${model}: states that stay on the GPU are those of the worker's memory, bit by bit${when}`,
      { tag: loses && model === "layers" ? [] : LONG },
      async ({ harness }) => {
        await countBuffers(harness);
        const onWasm = await walk(harness, { model, provider: "wasm" });
        const onGpu = await walk(harness, { model, provider: "webgpu", loses });
        const sorted = (handle: typeof onGpu) => handle.evaluate(({ told }) => [...told].sort());
        expect(await sorted(onGpu)).toEqual(await sorted(onWasm));
        const before = await buffersOf(harness);
        expect(before.made).toBeGreaterThan(10);
        expect(before.alive).toBeGreaterThan(0);
        await onGpu.evaluate(({ sequences }) => Promise.all(sequences.map((sequence) => sequence.dispose())));
        // The worker goes on, and has heard of each end.
        await onGpu.evaluate(({ opened }) => opened.predict({ x: new Float32Array(4) }));
        expect((await buffersOf(harness)).alive).toBe(0);
      },
    );
  }
}

test(
  "the states of models with handlers stay, too, and a step whose handler fails leaves the one before it",
  { tag: LONG },
  async ({ page, home }) => {
    await countBuffers(page);
    await page.goto(`${home.url}/handlers.html`);
    await page.waitForFunction(() => "handled" in window);
    const walked = (provider: "webgpu" | "wasm") =>
      page.evaluateHandle(
        async ({ url, name }) => {
          const model = await window.handled.openRemembering(url, name);
          const sequences = Array.from({ length: 4 }, () => model.sequence({ snapshotEvery: 3 }));
          const told = await Promise.all(
            sequences.map(async (sequence, index) => {
              const answers: string[] = [];
              for (let step = 0; step < 12; step += 1) {
                // The third sequence fails once, and each has steps in which it does not take part.
                if ((step + index) % 5 === 0) continue;
                const item = index === 2 && step === 4 ? 13 : 20 + step;
                answers.push(await sequence.predict(item).then(String, (error) => error.code));
              }
              return answers;
            }),
          );
          return { model, sequences, told };
        },
        { url: MODELS.layers.url, name: provider },
      );
    const onWasm = await walked("wasm");
    const onGpu = await walked("webgpu");
    const told = await onGpu.evaluate(({ told: answers }) => answers);
    expect(told).toEqual(await onWasm.evaluate(({ told: answers }) => answers));
    expect(told.flat().filter((answer) => answer === "HANDLER_FAILED")).toHaveLength(1);
    const { alive, made } = await buffersOf(page);
    expect(made).toBeGreaterThan(10);
    expect(alive).toBeGreaterThan(0);
    await onGpu.evaluate(({ sequences }) => Promise.all(sequences.map((sequence) => sequence.dispose())));
    await onGpu.evaluate(({ model }) => model.predict(1));
    expect((await buffersOf(page)).alive).toBe(0);
  },
);

test(
  "a model that leaves its group frees its states, and those that find no room stay in the worker's memory",
  { tag: LONG },
  async ({ harness }) => {
    await countBuffers(harness);
    const group = (maxKeptBytes: number) =>
      harness.evaluateHandle(
        async ({ url, recurrent, bytes }) => {
          const { createBatchedModel, createModelGroup } = window.harness;
          const opened = createModelGroup({ executionProviders: ["webgpu"], maxKeptBytes: bytes });
          const options = {
            group: opened,
            recurrent,
            batchAxis: { state: 1, stateN: 1 },
            verify: { budgetMs: 600_000 },
          };
          const [leaving, staying] = await Promise.all([
            createBatchedModel(url, options),
            createBatchedModel(url, options),
          ]);
          const sequence = leaving.sequence();
          const answers: string[] = [];
          for (let step = 0; step < 4; step += 1) {
            const { y } = await sequence.predict({ x: Float32Array.of(step, 1, 2, 3) });
            answers.push(y!.data.join());
          }
          return { leaving, staying, answers };
        },
        { ...MODELS.layers, bytes: maxKeptBytes },
      );
    const roomy = await group(2 ** 20);
    expect((await buffersOf(harness)).alive).toBeGreaterThan(0);
    await roomy.evaluate(({ leaving }) => leaving.dispose());
    await roomy.evaluate(({ staying }) => staying.predict({ x: new Float32Array(4) }));
    await expect.poll(async () => (await buffersOf(harness)).alive).toBe(0);
    const narrow = await group(0);
    expect(await buffersOf(harness)).toEqual({ alive: 0, made: 0 });
    expect(await narrow.evaluate(({ answers }) => answers)).toEqual(await roomy.evaluate(({ answers }) => answers));
  },
);

for (const decoder of ["decoder-rotary", "decoder-merged"] as const) {
  const title = `${decoder}: the caches of texts stay on the GPU while their steps go on, and leave nothing there`;
  // The merged one has the same caches, and those of its encoder.
  test(title, { tag: decoder === "decoder-rotary" ? LONG : [] }, async ({ harness }) => {
    await countBuffers(harness);
    const write = (provider: "webgpu" | "wasm") =>
      harness.evaluateHandle(
        async ({ url, name, hasEncoder }) => {
          const model = await window.harness.createBatchedModel(url, {
            executionProviders: [name],
            cache: false,
            generate: true,
          });
          const given = {
            encoder_hidden_states: { data: Float32Array.from({ length: 64 }, (_, at) => Math.sin(at)), dims: [2, 32] },
            encoder_attention_mask: [1, 1],
          };
          // They end at different steps, and one is left.
          const texts = [3, 6, 4, 8].map((maxNewTokens, index) => {
            const prompt = Array.from({ length: 2 + 3 * index }, (_, at) => (7 * at + index) % 60);
            return model.generate({ input_ids: prompt }, { maxNewTokens, ...(hasEncoder && { given }) });
          });
          const left = model.generate({ input_ids: [5] }, { maxNewTokens: 40, ...(hasEncoder && { given }) });
          for await (const _ of left) break;
          const tokens = await Promise.all(texts.map(async ({ result }) => (await result).tokens));
          return { model, tokens };
        },
        { url: `/models/${decoder}.onnx`, name: provider, hasEncoder: decoder === "decoder-merged" },
      );
    const onWasm = await write("wasm");
    const onGpu = await write("webgpu");
    const tokensOf = (handle: typeof onGpu) => handle.evaluate(({ tokens }) => tokens);
    expect(await tokensOf(onGpu)).toEqual(await tokensOf(onWasm));
    await expect.poll(async () => (await buffersOf(harness)).alive).toBe(0);
    expect((await buffersOf(harness)).made).toBeGreaterThan(10);
    expect(await onGpu.evaluate(({ model }) => model.stats().generation.cacheBytes)).toBe(0);
  });
}
