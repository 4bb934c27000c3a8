import type { Lane } from "../lanes/lane.js";
import type { Load } from "../loads/load.js";
import type { BenchModel } from "../models.js";
import type { Backend, Cell } from "../results.js";

/** One model on one backend, with its loads and lanes. */
export interface PlannedModel {
  readonly model: BenchModel;
  readonly groups: readonly PlannedGroup[];
}

/** Lanes that are measured in turn under one load. */
export interface PlannedGroup {
  readonly load: Load;
  readonly lanes: readonly Lane[];
}

/** The name of a cell in `--only`. */
export function cellName({ model, backend, load, lane }: Omit<Cell, "site">): string {
  return `${model}/${backend}/${load}/${lane}`;
}

/**
 * The subsets of cells:
 * - `full`: every cell.
 * - `balanced`: every model, load and lane, but not every combination, and no isolated bursts. Each model gets one
 *   caller and 256 callers (on a software GPU four, except for the smallest model), with the main lanes and some of the
 *   others in turn. Each of the other loads runs on some models with fewer lanes.
 * - `essential`: the balanced cells with one caller and with many callers, without the limit. On WebGPU, where opening
 *   a lane takes longest, only the main lanes.
 * - `peers`: closed loops and isolated bursts on every model.
 * - `ways`: closed loops with one and with eight callers on every model.
 */
export type Subset = "full" | "balanced" | "essential" | "peers" | "ways";

export interface PlanRequest {
  readonly backend: Backend;
  readonly subset: Subset;
  /** Whether the backend is a software GPU. */
  readonly isSoftware: boolean;
  /** Only cells whose name contains this; "" for all. A name selects cells from all subsets, except with `peers`. */
  readonly only: string;
  /** Only these groups, by `groupKey`. @default all */
  readonly groups?: readonly string[];
}

/** The name of a group in `groups` of a spec. */
export function groupKey(model: string, load: string): string {
  return `${model}/${load}`;
}

const LONE_CALLER = "closed-1";

/** Loads with enough callers to saturate a model. On a software GPU four are enough, and 256 would take minutes. */
const SATURATING = { usual: "closed-256", slow: "closed-4" } as const;
const MAIN_LANES: readonly string[] = ["frame", "idle", "off", "dataloader"];
const LANES_ON_ALL: readonly string[] = [...MAIN_LANES, "limit"];

/** Each model gets every third of the other lanes, with a different start than the previous model. */
const LANES_TAKE_TURNS = 3;

/** Each model gets every fourth of the other loads. */
const LOADS_TAKE_TURNS = 4;

/** Number of models that are fast even on a software GPU. They get all other loads there. */
const QUICK_MODELS = 1;

const ISOLATED = /^isolated-/;
const PEER_LOADS = /^(closed|isolated)-/;

/** Loads that are specific to certain models. */
const HOMES: Readonly<Record<string, Readonly<Record<Backend, readonly string[]>>>> = {
  typing: { wasm: ["languages"], webgpu: ["languages"] },
  pointer: { wasm: ["mlp-tiny", "digits"], webgpu: ["mlp-tiny"] },
  scroll: { wasm: ["languages"], webgpu: ["languages"] },
};

/** Selects the loads and lanes of the balanced subset for a model by its index. */
class BalancedSubset {
  readonly #backend: Backend;
  readonly #isSoftware: boolean;
  readonly #isEssential: boolean;
  readonly #loads: readonly string[];
  readonly #lanes: readonly string[];

  constructor({ backend, isSoftware, subset }: PlanRequest, loads: readonly Load[], lanes: readonly Lane[]) {
    const elsewhere: readonly string[] = [LONE_CALLER, SATURATING.usual, ...Object.keys(HOMES)];
    this.#backend = backend;
    this.#isSoftware = isSoftware;
    this.#isEssential = subset === "essential";
    this.#loads = loads.map(({ name }) => name).filter((name) => !elsewhere.includes(name) && !ISOLATED.test(name));
    this.#lanes = lanes.map(({ name }) => name).filter((name) => !LANES_ON_ALL.includes(name));
  }

  has(index: number, model: string, load: string, lane: string): boolean {
    const isSlow = this.#isSoftware && index >= QUICK_MODELS;
    const saturating = isSlow ? SATURATING.slow : SATURATING.usual;
    if (load === LONE_CALLER || load === saturating) return this.#isOnAll(lane) || this.#hasLane(index, lane);
    if (this.#isEssential) return false;
    if (load === SATURATING.usual || (isSlow && !(load in HOMES))) return false;
    return MAIN_LANES.includes(lane) && this.#hasLoad(index, model, load);
  }

  #isOnAll(lane: string): boolean {
    return (this.#isEssential ? MAIN_LANES : LANES_ON_ALL).includes(lane);
  }

  #hasLane(index: number, lane: string): boolean {
    if (this.#isEssential && this.#backend === "webgpu") return false;
    return this.#lanes.indexOf(lane) % LANES_TAKE_TURNS === index % LANES_TAKE_TURNS;
  }

  #hasLoad(index: number, model: string, load: string): boolean {
    const homes = HOMES[load]?.[this.#backend];
    if (homes !== undefined) return homes.includes(model);
    const turns = this.#isSoftware ? QUICK_MODELS : LOADS_TAKE_TURNS;
    const place = this.#loads.indexOf(load);
    return place >= 0 && place % turns === index % turns;
  }
}

/**
 * Returns the cells to measure, by model and load. Omits models and loads without cells, and lanes that do not support
 * a model on the backend.
 */
export function planRun(
  models: readonly BenchModel[],
  loads: readonly Load[],
  lanes: readonly Lane[],
  request: PlanRequest,
): PlannedModel[] {
  const { backend, subset, only, groups } = request;
  const balanced = new BalancedSubset(request, loads, lanes);
  const belongs = (index: number, model: BenchModel, load: Load, lane: Lane): boolean => {
    if (subset === "peers") return PEER_LOADS.test(load.name);
    return (
      subset === "full" || subset === "ways" || only !== "" || balanced.has(index, model.name, load.name, lane.name)
    );
  };
  const isNamed = (model: BenchModel, load: Load, lane: Lane): boolean =>
    cellName({ model: model.name, backend, load: load.name, lane: lane.name }).includes(only);
  const isWanted = (model: BenchModel, load: Load): boolean =>
    groups?.includes(groupKey(model.name, load.name)) ?? true;
  const runs = (model: BenchModel, lane: Lane): boolean => lane.runs?.(model, backend) ?? true;
  return models
    .map((model, index) => ({
      model,
      groups: loads
        .filter((load) => isWanted(model, load))
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
