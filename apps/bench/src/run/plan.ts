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

/** The cells whose name contains `only`; what has none of them is left out. */
export function planRun(
  models: readonly BenchModel[],
  loads: readonly Load[],
  lanes: readonly Lane[],
  backend: Backend,
  only: string,
): PlannedModel[] {
  const wanted = (model: BenchModel, load: Load, lane: Lane): boolean =>
    cellName({ model: model.name, backend, load: load.name, lane: lane.name }).includes(only);
  return models
    .map((model) => ({
      model,
      groups: loads
        .map((load) => ({ load, lanes: lanes.filter((lane) => wanted(model, load, lane)) }))
        .filter((group) => group.lanes.length > 0),
    }))
    .filter((planned) => planned.groups.length > 0);
}
