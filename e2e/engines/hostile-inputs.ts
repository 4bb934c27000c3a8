import { createBatchedModel, type BatchedModel, type Item, type Outputs } from "framebatch";
import { failureOf, type Failure } from "../fixtures/failure.js";
import { badInputs, type BadInput } from "../tables/bad-inputs.js";
import { badOptions, type BadOption } from "../tables/bad-options.js";
import { isSaid } from "../tables/said.js";
import { keepLast } from "./keep-last.js";
import { expectEqual, expectTrue, NotHere, type Promises } from "./promise.js";

const float32 = (length: number) => Float32Array.from({ length }, (_, index) => index / length);

/** Two valid items for each model, with different answers. */
const FITTING: Readonly<Record<string, readonly [Item, Item]>> = {
  "mlp-tiny": [float32(64), float32(64).fill(0.25)],
  "variable-length": [[1, 2, 3], [4]],
  "two-inputs": [
    { a: [1, 2, 3, 4], b: [5, 6, 7, 8] },
    { a: [0, 0, 0, 1], b: [1, 0, 0, 0] },
  ],
  "text-encoder": [
    { ids: [1, 2, 3], mask: [1, 1, 1] },
    { ids: [4, 5], mask: [1, 1] },
  ],
  "two-dynamic-dims": [
    { image: { data: float32(48), dims: [3, 4, 4] } },
    { image: { data: float32(48).reverse(), dims: [3, 4, 4] } },
  ],
  "affine-int64": [
    [1, 2, 3, 4],
    [5n, 6n, 7n, 8n],
  ],
  "affine-uint8": [
    [1, 2, 3, 4],
    [0, 100, 0, 1],
  ],
  "not-bool": [
    [true, true, false, false],
    [1, 0, 1, 0],
  ],
  "identity-string": [
    ["a", "b", "c", "d"],
    ["", "ä", "𝄞", "<b>"],
  ],
};

const open = keepLast(openFor, ({ model }) => model.dispose());

/** One test for each row of the tables of bad inputs and bad options. */
export const hostileInputs: Promises = Object.fromEntries([
  ...badInputs.map((row) => [`bad input, ${row.id}: it is rejected, and its batch-mates are answered`, () => ask(row)]),
  ...badOptions.map((row) => [`bad option, ${row.id}: it is rejected`, () => load(row)]),
]);

async function ask(row: BadInput): Promise<void> {
  const { model, first, second, right } = await open({
    model: row.model ?? "mlp-tiny",
    modelOptions: row.modelOptions ?? {},
  });
  const item = madeOr(row.item);
  const before = model.predict(first);
  const bad = predictAnything(model, item, row.options?.());
  const after = model.predict(second);
  model.flush();
  expectRefused(row, await failureOf(bad));
  expectEqual([await before, await after].map(asData), right, "the batch-mates' answers");
}

async function load(row: BadOption): Promise<void> {
  const source = row.source === undefined ? "/models/mlp-tiny.onnx" : row.source();
  expectRefused(row, await failureOf(createAnyway(source, row.options())));
}

function expectRefused({ code, message }: Pick<BadInput, "code" | "message">, failure: Failure | null): void {
  expectEqual(failure?.code ?? failure, code);
  const said = failure?.message ?? "";
  expectTrue(isSaid(message, said), `the message ${JSON.stringify(message)}, got ${JSON.stringify(said)}`);
}

/** Creates a value, or skips the test if this engine cannot create it. */
function madeOr(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    throw new NotHere(`this engine cannot create the value: ${String(error)}`);
  }
}

/** Calls `predict` with any values, as a caller without types can. */
export function predictAnything(model: BatchedModel, item: unknown, options: unknown): Promise<unknown> {
  return Reflect.apply(Reflect.get(model, "predict"), model, [item, options]);
}

function createAnyway(source: unknown, options: unknown): Promise<unknown> {
  const isExtensible = typeof options === "object" && options !== null && !("executionProviders" in options);
  if (isExtensible) Object.assign(options, { executionProviders: ["wasm"] });
  return Reflect.apply(createBatchedModel, undefined, [source, options]);
}

interface Asked {
  readonly model: BatchedModel;
  readonly first: Item;
  readonly second: Item;
  readonly right: readonly unknown[];
}

async function openFor({
  model: name,
  modelOptions,
}: Required<Pick<BadInput, "model" | "modelOptions">>): Promise<Asked> {
  const model = await createBatchedModel(`/models/${name}.onnx`, {
    executionProviders: ["wasm"],
    batching: { release: "window" },
    maxQueueDelayMs: 600_000,
    ...modelOptions,
  });
  const [first, second] = FITTING[name] ?? [{}, {}];
  const right: unknown[] = [];
  for (const item of [first, second]) {
    const alone = model.predict(item);
    model.flush();
    right.push(asData(await alone));
  }
  return { model, first, second, right };
}

/** Converts outputs to comparable data. Rounds to five decimals, because rounding can differ in a batch. */
function asData(outputs: Outputs): unknown {
  return Object.entries(outputs).map(([name, { dims, data }]) => [
    name,
    dims,
    Array.from<unknown, unknown>(data, (element) =>
      typeof element === "number" ? element.toFixed(5) : String(element),
    ),
  ]);
}
