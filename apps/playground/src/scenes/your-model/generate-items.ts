import type { Item, TensorInfo, TensorLike } from "framebatch";
import { formatNumber } from "../../format.js";
import { seededRandom } from "../../seeded-random.js";
import { generateValues, readOwnValues } from "./generate-values.js";
import { itemDims, usualChoice, type InputChoice } from "./input-choice.js";
import { pictureShape, pictureValues } from "./picture.js";

/** Maximum number of different items. */
const ITEMS = 64;

/** Maximum number of values in all items together, so that they are generated within a frame or two. */
const MAX_VALUES = 2_000_000;

/** Maximum number of values in one item: a few pictures of 4096 × 4096. An item with more does not fit into memory. */
export const MAX_ITEM_VALUES = 2 ** 26;

/** Everything that determines the generated items of a model. */
export interface ItemPlan {
  readonly inputs: readonly TensorInfo[];
  readonly sizes: Readonly<Record<string, number>>;
  readonly choices: Readonly<Record<string, InputChoice>>;
  readonly seed: number;
}

/** Says which sizes are too large; `null` if an item with these sizes can be generated. */
export function sizeProblem({ inputs, sizes }: Pick<ItemPlan, "inputs" | "sizes">): string | null {
  const count = valuesPerItem(inputs, sizes);
  if (count <= MAX_ITEM_VALUES) return null;
  return `Expected sizes with at most ${formatNumber(MAX_ITEM_VALUES)} values in an item, got ${formatNumber(count)}. Choose smaller sizes.`;
}

/**
 * Generates items from the types and shapes of the inputs. The same plan gives the same items. The visitor's own values
 * are ignored if they do not fit. Generates none if the sizes are too large.
 */
export function generateItems(plan: ItemPlan): Item[] {
  if (sizeProblem(plan) !== null) return [];
  const perItem = valuesPerItem(plan.inputs, plan.sizes);
  const count = Math.max(1, Math.min(ITEMS, Math.floor(MAX_VALUES / Math.max(1, perItem))));
  return Array.from({ length: count }, (_, index) => generateItem(plan, index));
}

function valuesPerItem(inputs: ItemPlan["inputs"], sizes: ItemPlan["sizes"]): number {
  return inputs.reduce((sum, input) => sum + volumeOf(input, sizes), 0);
}

function generateItem(plan: ItemPlan, index: number): Item {
  const tensors = plan.inputs.map((input, position) => {
    // A batch can only contain items whose shared inputs are equal.
    const variant = input.batchAxis === null ? 0 : index;
    const random = seededRandom(plan.seed + 7919 * position + variant);
    return [input.name, generateTensor(input, plan, random)] as const;
  });
  return Object.fromEntries(tensors);
}

function generateTensor(input: TensorInfo, { sizes, choices }: ItemPlan, random: () => number): TensorLike {
  const choice = choices[input.name] ?? usualChoice(input);
  const dims = itemDims(input, sizes);
  const count = volumeOf(input, sizes);
  const shape = pictureShape(input, dims);
  if (shape !== null && choice.picture !== null) return { data: pictureValues(choice.picture, shape, choice), dims };
  const own = readOwnValues(input.type, count, choice.ownValues);
  const data = own?.ok === true ? own.values : generateValues(input.type, count, choice, random);
  return { data, dims };
}

export function volumeOf(input: TensorInfo, sizes: Readonly<Record<string, number>>): number {
  return itemDims(input, sizes).reduce((product, size) => product * size, 1);
}
