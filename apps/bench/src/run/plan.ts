import type { Lane } from "../lanes/lane.js";
import type { Load } from "../loads/load.js";
import type { BenchModel } from "../models.js";
import type { Backend, Cell } from "../results.js";

/** One model on one backend, with the loads to put on it and the lanes to put them on. */
export interface PlannedModel {
  readonly model: BenchModel;
  readonly groups: readonly PlannedGroup[];
}

/** Lanes that are measured in turns under one load. */
export interface PlannedGroup {
  readonly load: Load;
  readonly lanes: readonly Lane[];
}

/** What a cell is called in `--only`. */
export function cellName({ model, backend, load, lane }: Cell): string {
  return `${model}/${backend}/${load}/${lane}`;
}

/**
 * - `full`: every cell.
 * - `balanced`: every model, load and lane, but not every combination of them. One caller and 256 of them are put on each model, with
 *   the lanes that matter most and some of the others in turn; each of the other loads is put on some models with fewer lanes.
 */
export type Subset = "full" | "balanced";

export interface PlanRequest {
  readonly backend: Backend;
  readonly subset: Subset;
  /** Only cells whose name contains this; "" for all. Naming cells asks for them all, whatever the subset. */
  readonly only: string;
}

const LOADS_ON_ALL: readonly string[] = ["closed-1", "closed-256"];
const MAIN_LANES: readonly string[] = ["frame", "idle", "off", "dataloader"];
const LANES_ON_ALL: readonly string[] = [...MAIN_LANES, "limit"];

/** A model has every third of the other lanes, beginning with another one than the model before it. */
const LANES_TAKE_TURNS = 3;

/** So many models have the other loads in turn. A GPU in software is so slow that only the first ones, which are small, have any. */
const LOADS_TAKE_TURNS: Readonly<Record<Backend, { readonly turns: number; readonly models: number }>> = {
  wasm: { turns: 4, models: Number.POSITIVE_INFINITY },
  webgpu: { turns: 3, models: 3 },
};

/** What these are made of is asked of the models that it is about. */
const HOMES: Readonly<Record<string, Readonly<Record<Backend, readonly string[]>>>> = {
  typing: { wasm: ["languages"], webgpu: ["languages"] },
  pointer: { wasm: ["mlp-tiny", "digits"], webgpu: ["mlp-tiny"] },
  scroll: { wasm: ["languages"], webgpu: ["languages"] },
};

/** Which loads and lanes the balanced subset has for the model at a place of the list. */
class BalancedSubset {
  readonly #backend: Backend;
  readonly #loads: readonly string[];
  readonly #lanes: readonly string[];

  constructor(backend: Backend, loads: readonly Load[], lanes: readonly Lane[]) {
    this.#backend = backend;
    this.#loads = loads.map(({ name }) => name).filter((name) => !LOADS_ON_ALL.includes(name) && !(name in HOMES));
    this.#lanes = lanes.map(({ name }) => name).filter((name) => !LANES_ON_ALL.includes(name));
  }

  has(index: number, model: string, load: string, lane: string): boolean {
    if (LOADS_ON_ALL.includes(load)) return LANES_ON_ALL.includes(lane) || this.#hasLane(index, lane);
    return MAIN_LANES.includes(lane) && this.#hasLoad(index, model, load);
  }

  #hasLane(index: number, lane: string): boolean {
    return this.#lanes.indexOf(lane) % LANES_TAKE_TURNS === index % LANES_TAKE_TURNS;
  }

  #hasLoad(index: number, model: string, load: string): boolean {
    const homes = HOMES[load]?.[this.#backend];
    if (homes !== undefined) return homes.includes(model);
    const { turns, models } = LOADS_TAKE_TURNS[this.#backend];
    return index < models && this.#loads.indexOf(load) % turns === index % turns;
  }
}

/** The cells to measure, by model and load; what has none of them is left out, and so are lanes that cannot run a model on the backend. */
export function planRun(
  models: readonly BenchModel[],
  loads: readonly Load[],
  lanes: readonly Lane[],
  { backend, subset, only }: PlanRequest,
): PlannedModel[] {
  const isFull = subset === "full" || only !== "";
  const balanced = new BalancedSubset(backend, loads, lanes);
  const belongs = (index: number, model: BenchModel, load: Load, lane: Lane): boolean =>
    isFull || balanced.has(index, model.name, load.name, lane.name);
  const isNamed = (model: BenchModel, load: Load, lane: Lane): boolean =>
    cellName({ model: model.name, backend, load: load.name, lane: lane.name }).includes(only);
  const runs = (model: BenchModel, lane: Lane): boolean => lane.runs?.(model, backend) ?? true;
  return models
    .map((model, index) => ({
      model,
      groups: loads
        .map((load) => ({
          load,
          lanes: lanes.filter(
            (lane) => runs(model, lane) && belongs(index, model, load, lane) && isNamed(model, load, lane),
          ),
        }))
        .filter((group) => group.lanes.length > 0),
    }))
    .filter((planned) => planned.groups.length > 0);
}
