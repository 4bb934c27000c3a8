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
 * - `balanced`: every model, load and lane, but not every combination of them: one caller and 256 of them with all lanes on
 *   each model; of the other loads each model has some, in turn, with the lanes that matter most.
 */
export type Subset = "full" | "balanced";

export interface PlanRequest {
  readonly backend: Backend;
  readonly subset: Subset;
  /** Only cells whose name contains this; "" for all. Naming cells asks for them all, whatever the subset. */
  readonly only: string;
}

const LOADS_ON_ALL: readonly string[] = ["closed-1", "closed-256"];
const LANES_ON_ALL: readonly string[] = ["frame", "idle", "off", "dataloader"];

/** Each model has every so manieth of the other loads, beginning with another one. */
const EVERY = 4;

/** The cells to measure, by model and load; what has none of them is left out. */
export function planRun(
  models: readonly BenchModel[],
  loads: readonly Load[],
  lanes: readonly Lane[],
  { backend, subset, only }: PlanRequest,
): PlannedModel[] {
  const isFull = subset === "full" || only !== "";
  const rotating = loads.filter(({ name }) => !LOADS_ON_ALL.includes(name));
  const belongs = (modelIndex: number, load: Load, lane: Lane): boolean =>
    isFull ||
    LOADS_ON_ALL.includes(load.name) ||
    (rotating.indexOf(load) % EVERY === modelIndex % EVERY && LANES_ON_ALL.includes(lane.name));
  const isNamed = (model: BenchModel, load: Load, lane: Lane): boolean =>
    cellName({ model: model.name, backend, load: load.name, lane: lane.name }).includes(only);
  return models
    .map((model, index) => ({
      model,
      groups: loads
        .map((load) => ({
          load,
          lanes: lanes.filter((lane) => belongs(index, load, lane) && isNamed(model, load, lane)),
        }))
        .filter((group) => group.lanes.length > 0),
    }))
    .filter((planned) => planned.groups.length > 0);
}
