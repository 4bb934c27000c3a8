import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import {
  fixForName,
  invalidOption,
  optionError,
  quoteNames,
  unknownNameError,
} from "@framebatch/batcher/errors/option-errors.js";
import { givenIn, setOwn, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { type LinkedModel, LINKS } from "./links.js";

/** Names of outputs of the stage before, by the inputs that they become. */
export type Links = Readonly<Record<string, string>>;

/** Checks the option `inputs`. @throws INVALID_OPTION */
export function checkLinks(inputs: unknown): asserts inputs is Links {
  const fix = 'write { frames: "output" } with an input of this model and an output of the stage before';
  const isRight =
    isOptionsObject(inputs) &&
    Object.keys(inputs).length > 0 &&
    Object.values(inputs).every((output) => typeof output === "string");
  if (!isRight) throw optionError("inputs", "outputs of the stage before, by the inputs of the stage", inputs, fix);
}

/**
 * Returns the item of a stage.
 * @param value what the stage before has returned
 * @throws INVALID_INPUT when `value` lacks an output
 */
export function itemFrom(links: Links, value: unknown): object {
  const item: Record<string, unknown> = {};
  for (const [input, output] of Object.entries(links)) {
    const tensor = isOptionsObject(value) ? givenIn(value, output) : undefined;
    if (tensor === undefined) throw missingOutputError(input, output, value);
    setOwn(item, input, tensor);
  }
  return item;
}

function missingOutputError(input: string, output: string, value: unknown): FramebatchError {
  const names = isOptionsObject(value) ? Object.keys(value) : [];
  const fix = fixForName(output, names, "name another one");
  return new FramebatchError(
    "INVALID_INPUT",
    `inputs["${input}"]: expected the stage before to return "${output}", got ${quoteNames(names)}; ${fix}`,
    { details: { input } },
  );
}

/** Returns what links use of a stage; `null` if it is not a model of a group that shares tensors. */
export function linkedModelOf(stage: unknown): LinkedModel | null {
  return isLinkable(stage) ? stage[LINKS] : null;
}

function isLinkable(stage: unknown): stage is { readonly [LINKS]: LinkedModel | null } {
  return isOptionsObject(stage) && LINKS in stage;
}

/**
 * Whether links join two models of a group, so that the tensors can stay in its worker. Checks the names and the dims,
 * as far as the two sides are such models.
 * @param from the stage before
 * @param to the stage itself
 * @throws INVALID_OPTION
 */
export function areJoined(links: Links, from: LinkedModel | null, to: LinkedModel | null): boolean {
  const joins = Object.entries(links).map(([input, output]) => {
    const target = to === null ? null : infoOf(`inputs`, "inputs of the model", input, to.signature.inputs);
    const source =
      from === null
        ? null
        : infoOf(`inputs["${input}"]`, "outputs of the stage before", output, from.signature.outputs);
    if (source === null || target === null) return false;
    checkFit(`inputs["${input}"]`, source, target);
    return source.batchAxis !== null && source.isFolded !== true && target.batchAxis !== null;
  });
  return from !== null && from.group === to?.group && joins.every(Boolean);
}

function infoOf(option: string, expected: string, name: string, infos: readonly TensorInfo[]): TensorInfo {
  const info = infos.find((each) => each.name === name);
  if (info !== undefined) return info;
  throw unknownNameError(
    option,
    expected,
    name,
    infos.map((each) => each.name),
  );
}

function checkFit(option: string, source: TensorInfo, target: TensorInfo): void {
  const fix = `"${source.name}" does not fit "${target.name}"; put a function between the stages`;
  if (source.type !== target.type)
    throw invalidOption(option, `an output of ${target.type}, got ${source.type}: ${fix}`);
  const [given, wanted] = [itemDims(source), itemDims(target)];
  const isOf = (size: number | null, axis: number) => size === null || (wanted[axis] ?? size) === size;
  const fits = given.length === wanted.length && given.every(isOf);
  if (!fits) throw invalidOption(option, `an output of dims [${dimsText(wanted)}], got [${dimsText(given)}]: ${fix}`);
}

function itemDims({ dims, batchAxis, isFolded }: TensorInfo): readonly (number | null)[] {
  return isFolded === true ? dims : dims.filter((_, axis) => axis !== batchAxis);
}

function dimsText(dims: readonly (number | null)[]): string {
  return dims.map((size) => size ?? "?").join(", ");
}
