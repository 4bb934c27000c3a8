import { invalidOption, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { type LinkedModel, LINKS } from "./links.js";
import type { Links } from "./link-item.js";

/** Returns what links use of a stage; `null` if it is not a model of a group that shares tensors. */
export function linkedModelOf(stage: unknown): LinkedModel | null {
  return isLinkable(stage) ? stage[LINKS] : null;
}

function isLinkable(stage: unknown): stage is { readonly [LINKS]: LinkedModel | null } {
  return isOptionsObject(stage) && LINKS in stage;
}

/**
 * Whether links join two models of a group, so that the tensors can stay in its worker. Checks the names and the dims, as far
 * as the two sides are such models.
 * @param from the stage before @param to the stage itself
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
  const fits = given.length === wanted.length && given.every((size, axis) => fitsSize(size, wanted[axis]!));
  if (!fits) throw invalidOption(option, `an output of dims [${shown(wanted)}], got [${shown(given)}]: ${fix}`);
}

function itemDims({ dims, batchAxis, isFolded }: TensorInfo): readonly (number | null)[] {
  return isFolded === true ? dims : dims.filter((_, axis) => axis !== batchAxis);
}

function fitsSize(given: number | null, wanted: number | null): boolean {
  return given === null || wanted === null || given === wanted;
}

function shown(dims: readonly (number | null)[]): string {
  return dims.map((size) => size ?? "?").join(", ");
}
