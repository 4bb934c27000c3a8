import { createBatchedModel, type BatchedModel, type ModelOptions } from "framebatch";
import { distance } from "../fixtures/distance.js";
import { itemsFor } from "../fixtures/items.js";
import { createReference } from "../fixtures/reference.js";
import { expectEqual, expectTrue, NotHere, type Promises } from "./promise.js";

const TINY = "/models/mlp-tiny.onnx";
/** Multiplies each row by the number of rows of its run. */
const ROW_COUNTER = "/models/mixing-batch-size.onnx";
const SHARED: ModelOptions = { executionProviders: ["wasm"], shared: true };

/** Frames stand for tabs: a driver of an engine has one page. */
export const sharedTabs: Promises = {
  "documents share a session that outlives the one that made it": async () => {
    const frame = await openFrame();
    const first = await frame.create(TINY, SHARED);
    const second = await createBatchedModel(TINY, SHARED);
    await untilTabs(second, 2);
    expectEqual(first.stats().shared, { isShared: true, reason: null, tabs: 2 });
    await expectRight([first, second]);
    frame.close();
    await untilTabs(second, 1);
    await expectRight([second]);
    await second.dispose();
    await untilReleased();
  },

  "requests of several documents run as one, and each gets its own answer": async () => {
    const frame = await openFrame();
    const options: ModelOptions = { ...SHARED, verify: false };
    const models = [await frame.create(ROW_COUNTER, options), await createBatchedModel(ROW_COUNTER, options)];
    await Promise.all(models.map((model, index) => untilMerged(model, 3 + index)));
    for (const model of models) await model.dispose();
    frame.close();
    await untilReleased();
  },

  "documents move on together from a worker that one of them finds broken": async () => {
    const frame = await openFrame();
    const models = [await frame.create(TINY, SHARED), await createBatchedModel(TINY, SHARED)];
    const states = models.map((model) => statesOf(model));
    const [lifeline] = await locks();
    await navigator.locks.request(lifeline ?? "", { steal: true }, () => undefined);
    await expectRight(models);
    for (const seen of states) await seen.until(2);
    expectEqual(
      states.map(({ list }) => list),
      [
        ["recovering", "ready"],
        ["recovering", "ready"],
      ],
    );
    for (const model of models) await untilTabs(model, 2);
    for (const model of models) await model.dispose();
    frame.close();
    await untilReleased();
  },
};

/** Opens a document with framebatch of its own. */
async function openFrame() {
  if (!("SharedWorker" in globalThis)) throw new NotHere("this browser has no shared workers");
  const frame = document.createElement("iframe");
  frame.src = "/harness.html";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  const { contentWindow } = frame;
  await until(() => contentWindow !== null && "harness" in contentWindow);
  return {
    create: (url: string, options: ModelOptions): Promise<BatchedModel> =>
      contentWindow!.harness.createBatchedModel(new URL(url, location.href).href, options),
    close: () => frame.remove(),
  };
}

/** Makes one request after another, until one has shared its run with one of another document. */
async function untilMerged(model: BatchedModel, first: number): Promise<void> {
  for (let value = first, rows = 1; rows < 2; value += 2) {
    const { y } = await model.predict(new Float32Array(8).fill(value));
    rows = Number(y?.data[0]) / value;
    expectTrue(rows === 1 || rows === 2, `an answer to ${value} from 1 or 2 rows, got ${String(y?.data[0])}`);
  }
}

function statesOf(model: BatchedModel) {
  const list: string[] = [];
  model.addEventListener("statechange", ({ detail }) => list.push(detail.state));
  return { list, until: (count: number) => until(() => list.length >= count) };
}

async function untilTabs(model: BatchedModel, tabs: number): Promise<void> {
  await until(() => model.stats().shared.tabs === tabs);
}

/** Resolves when no shared worker and no page of one is left. */
async function untilReleased(): Promise<void> {
  while ((await locks()).length > 0) await nextTask();
}

/** Returns the Web Locks of shared workers and of their pages, those of workers first. */
async function locks(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  const names = held.flatMap(({ name = "" }) => (/^framebatch .* (alive|page )/.test(name) ? [name] : []));
  return names.toSorted((a, b) => Number(b.endsWith("alive")) - Number(a.endsWith("alive")));
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await nextTask();
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

async function expectRight(models: readonly BatchedModel[]): Promise<void> {
  const items = itemsFor("mlp-tiny", 40);
  const direct = await (await createReference(TINY, "wasm")).runAll(items);
  const all = await Promise.all(models.map((model) => Promise.all(items.map((item) => model.predict(item)))));
  for (const answers of all) {
    const worst = Math.max(...answers.map((outputs, index) => distance(outputs, direct[index])));
    expectTrue(worst <= 1e-4, `answers within 1e-4, got ${worst}`);
  }
}
