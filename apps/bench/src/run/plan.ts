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
 * - `balanced`: every model, load and lane, but not every combination of them, and no isolated bursts. One caller and 256 of them (four on a GPU in software,
 *   but for the smallest model) are put on each model, with the lanes that matter most and some of the others in turn; each of the
 *   other loads is put on some models with fewer lanes.
 * - `essential`: of the balanced cells those of one caller and of many, without the limit; on WebGPU, where opening a lane takes
 *   longest, with the lanes that matter most alone.
 * - `peers`: closed loops and isolated bursts on every model.
 */
export type Subset = "full" | "balanced" | "essential" | "peers";

export interface PlanRequest {
  readonly backend: Backend;
  readonly subset: Subset;
  /** Whether the backend is a GPU in software. */
  readonly isSoftware: boolean;
  /** Only cells whose name contains this; "" for all. Naming cells asks for them all, whatever the subset, but for `peers`. */
  readonly only: string;
}

const LONE_CALLER = "closed-1";

/** Enough callers to keep a model busy; on a GPU in software fewer are enough, and 256 would take minutes. */
const SATURATING = { usual: "closed-256", slow: "closed-4" } as const;
const MAIN_LANES: readonly string[] = ["frame", "idle", "off", "dataloader"];
const LANES_ON_ALL: readonly string[] = [...MAIN_LANES, "limit"];

/** A model has every third of the other lanes, beginning with another one than the model before it. */
const LANES_TAKE_TURNS = 3;

/** Every fourth model has the same ones of the other loads. */
const LOADS_TAKE_TURNS = 4;

/** The first model is quick on a GPU in software, too, and has all other loads there. */
const QUICK_MODELS = 1;

const ISOLATED = /^isolated-/;
const PEER_LOADS = /^(closed|isolated)-/;

/** What these are made of is asked of the models that it is about. */
const HOMES: Readonly<Record<string, Readonly<Record<Backend, readonly string[]>>>> = {
  typing: { wasm: ["languages"], webgpu: ["languages"] },
  pointer: { wasm: ["mlp-tiny", "digits"], webgpu: ["mlp-tiny"] },
  scroll: { wasm: ["languages"], webgpu: ["languages"] },
};

/** Which loads and lanes the balanced subset has for the model at a place of the list. */
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

/** The cells to measure, by model and load; what has none of them is left out, and so are lanes that cannot run a model on the backend. */
export function planRun(
  models: readonly BenchModel[],
  loads: readonly Load[],
  lanes: readonly Lane[],
  request: PlanRequest,
): PlannedModel[] {
  const { backend, subset, only } = request;
  const balanced = new BalancedSubset(request, loads, lanes);
  const belongs = (index: number, model: BenchModel, load: Load, lane: Lane): boolean => {
    if (subset === "peers") return PEER_LOADS.test(load.name);
    return subset === "full" || only !== "" || balanced.has(index, model.name, load.name, lane.name);
  };
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
