import { batch, computed, effect, signal, type Signal } from "@preact/signals";
import type { ExecutionProvider, ReleaseMode } from "framebatch";
import { PROVIDERS } from "./shell/provider-names.js";
import { SCENE_NAMES, type SceneName } from "./scenes/scene-names.js";
import { CAR_COUNTS, STREAM_COUNTS, type Counts } from "./scenes/worlds/counts.js";
import type { LaneOptions } from "./lane-options.js";

export const MAX_TILES = 256;
const DEFAULT_TILES = 64;
const DEFAULT_CARS = 256;
const DEFAULT_STREAMS = 64;
/** The most callers in any scene. */
export const MAX_CALLERS = CAR_COUNTS.most;
/** framebatch's default, and the maximum that the page offers. */
export const MAX_BATCH = 256;
/** Longer than most frame periods: the page then drops every other frame. */
export const MAX_PRESSURE_MS = 24;
const URL_DELAY_MS = 250;

/** The numbers of callers of the scenes whose sliders offer only some. */
const COUNTS: Partial<Record<SceneName, Counts>> = { cars: CAR_COUNTS, streams: STREAM_COUNTS };

/** The allowed backends; `auto` is framebatch's own order. */
export type Backend = "auto" | ExecutionProvider;
export const BACKENDS: readonly Backend[] = ["auto", ...PROVIDERS];

/** framebatch's release modes, the default first, and when each sends a batch. */
export const RELEASE_LABELS: Readonly<Record<ReleaseMode, string>> = {
  frame: "before the next paint",
  idle: "when the worker is free",
  window: "after 10 ms, or when full",
};
export const RELEASES: readonly ReleaseMode[] = Object.keys(RELEASE_LABELS).filter(isRelease);

function isRelease(word: string): word is ReleaseMode {
  return Object.hasOwn(RELEASE_LABELS, word);
}

/** When a caller of a comparison sends its next request: immediately or at the next frame. */
export const PACES = ["continuous", "frame"] as const;
export type Pace = (typeof PACES)[number];

/** The settings that a model is created with. */
export interface ModelSettings {
  readonly backend: Backend;
  readonly release: ReleaseMode;
  readonly maxBatch: number;
}

/** Options for `createBatchedModel`, without defaults. */
export function toModelOptions({ backend, release, maxBatch }: ModelSettings): LaneOptions {
  return {
    ...(backend !== "auto" && { executionProviders: [backend] }),
    ...(release !== "frame" && { batching: { release } }),
    ...(maxBatch !== MAX_BATCH && { maxBatchSize: maxBatch }),
  };
}

/** The visitor's settings. All of them are in the page's URL, so that they can be shared. */
export class Settings {
  readonly scene = signal<SceneName>("cars");
  /** Number of callers: the tiles of a wall, the rows of a table or the callers of a load. */
  readonly tiles = signal(DEFAULT_TILES);
  /** Number of cars, which are the callers of their scene. */
  readonly cars = signal(DEFAULT_CARS);
  /** Number of streams of sound, which are the callers of their scene. */
  readonly streams = signal(DEFAULT_STREAMS);
  /** Whether trained networks drive the cars, or those from before the training. */
  readonly trained = signal(true);
  /** Number of callers in the current scene. */
  readonly callers = computed(() => this.#callersOf(this.scene.value).value);
  readonly batching = signal(true);
  readonly backend = signal<Backend>("auto");
  readonly release = signal<ReleaseMode>("frame");
  readonly maxBatch = signal(MAX_BATCH);
  readonly pace = signal<Pace>("continuous");
  readonly moving = signal(true);
  /** Simulated main-thread work per frame, in ms. */
  readonly pressureMs = signal(0);
  /** URL of a model that replaces the scene's own; `null` if there is none. */
  readonly model = signal<string | null>(null);
  /** A result that a link carries, as text; `null` if there is none. */
  readonly result = signal<string | null>(null);

  readonly modelSettings = computed<ModelSettings>(() => ({
    backend: this.backend.value,
    release: this.release.value,
    maxBatch: this.maxBatch.value,
  }));

  /** The settings as options for `createBatchedModel`, without defaults. */
  readonly modelOptions = computed<LaneOptions>(() => toModelOptions(this.modelSettings.value));

  readonly #prefersReducedMotion: boolean;

  constructor(search: string, prefersReducedMotion: boolean) {
    this.#prefersReducedMotion = prefersReducedMotion;
    this.#read(search);
    this.#keepAddressUpToDate();
    addEventListener("popstate", () => this.#read(location.search));
  }

  /** Changes some of the settings that a model is created with, as one change. */
  changeModel(change: Partial<ModelSettings>): void {
    const { backend, release, maxBatch } = { ...this.modelSettings.peek(), ...change };
    batch(() => {
      this.backend.value = backend;
      this.release.value = release;
      this.maxBatch.value = maxBatch;
    });
  }

  /** The most callers that the current scene's slider offers up to a number; `null` if all are more. */
  callersUpTo(most: number): number | null {
    const counts = COUNTS[this.scene.value];
    if (counts !== undefined) return counts.values.findLast((value) => value <= most) ?? null;
    return most < 1 ? null : Math.min(MAX_TILES, most);
  }

  /** Sets the number of callers of the current scene, to one that its slider offers. */
  changeCallers(callers: number): void {
    this.#callersOf(this.scene.peek()).value = callers;
  }

  /** Switches to another scene: adds an entry to the browser's history and clears a model and a result from the URL. */
  goTo(scene: SceneName): void {
    if (scene === this.scene.peek()) return;
    batch(() => {
      this.scene.value = scene;
      this.model.value = null;
      this.result.value = null;
    });
    history.pushState(null, "", this.addressOf(scene));
  }

  /** The page's URL with the current settings and a result. */
  addressWith(result: string): string {
    return new URL(toAddress({ ...this.#toQuery(), result }), location.href).href;
  }

  /** The page's URL with another scene. */
  addressOf(scene: SceneName): string {
    return toAddress({ ...this.#toQuery(), scene: unless(scene, "cars"), model: null, result: null });
  }

  #callersOf(scene: SceneName): Signal<number> {
    if (scene === "cars") return this.cars;
    return scene === "streams" ? this.streams : this.tiles;
  }

  #read(search: string): void {
    const query = new URLSearchParams(search);
    batch(() => {
      this.scene.value = readWord(query.get("scene"), SCENE_NAMES);
      this.model.value = query.get("model");
      this.result.value = query.get("result");
      this.tiles.value = readNumber(query.get("tiles"), DEFAULT_TILES, 1, MAX_TILES);
      this.cars.value = readCount(query.get("cars"), DEFAULT_CARS, CAR_COUNTS);
      this.streams.value = readCount(query.get("streams"), DEFAULT_STREAMS, STREAM_COUNTS);
      this.trained.value = query.get("drivers") !== "untrained";
      this.batching.value = query.get("batching") !== "off";
      this.backend.value = readWord(query.get("backend"), BACKENDS);
      this.release.value = readWord(query.get("release"), RELEASES);
      this.maxBatch.value = readNumber(query.get("maxbatch"), MAX_BATCH, 1, MAX_BATCH);
      this.pace.value = readWord(query.get("pace"), PACES);
      this.moving.value = (query.get("moving") ?? (this.#prefersReducedMotion ? "off" : "on")) === "on";
      this.pressureMs.value = readNumber(query.get("pressure"), 0, 0, MAX_PRESSURE_MS);
    });
  }

  /** Updates the URL with a delay, since browsers limit URL changes and a slider causes one per pixel. */
  #keepAddressUpToDate(): void {
    effect(() => {
      const next = this.#toQuery();
      const timer = setTimeout(() => history.replaceState(null, "", toAddress(next)), URL_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }

  /** The query parameters; `null` for a default, which is omitted. */
  #toQuery(): Record<string, string | null> {
    return {
      scene: unless(this.scene.value, "cars"),
      model: this.model.value,
      tiles: unless(this.tiles.value, DEFAULT_TILES),
      cars: unless(this.cars.value, DEFAULT_CARS),
      streams: unless(this.streams.value, DEFAULT_STREAMS),
      drivers: this.trained.value ? null : "untrained",
      batching: this.batching.value ? null : "off",
      backend: unless(this.backend.value, "auto"),
      release: unless(this.release.value, "frame"),
      maxbatch: unless(this.maxBatch.value, MAX_BATCH),
      pace: unless(this.pace.value, "continuous"),
      moving: this.moving.value === !this.#prefersReducedMotion ? null : this.moving.value ? "on" : "off",
      pressure: unless(this.pressureMs.value, 0),
      result: this.result.value,
    };
  }
}

function unless<Value extends string | number>(value: Value, usual: Value): string | null {
  return value === usual ? null : String(value);
}

function readNumber(text: string | null, usual: number, least: number, most: number): number {
  const number = Math.round(Number(text ?? usual));
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : usual;
}

function readCount(text: string | null, usual: number, counts: Counts): number {
  return counts.nearest(readNumber(text, usual, 1, counts.most));
}

function readWord<Word extends string>(text: string | null, words: readonly Word[]): Word {
  const [usual] = words;
  if (usual === undefined) throw new Error("A setting needs at least one value.");
  return words.find((word) => word === text) ?? usual;
}

/** The settings in a fixed order, then all other query parameters of the current URL. */
function toAddress(settings: Record<string, string | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value !== null) query.set(name, value);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (!Object.hasOwn(settings, name)) query.append(name, value);
  }
  return `${location.pathname}${query.size === 0 ? "" : `?${query}`}${location.hash}`;
}
