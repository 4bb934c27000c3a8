import { batch, computed, effect, signal } from "@preact/signals";
import type { ModelOptions, ReleaseMode } from "framebatch";
import { SCENE_NAMES, type SceneName } from "./scenes/scene-list.js";

export const MAX_TILES = 256;
const DEFAULT_TILES = 64;
/** framebatch's own default, and the most that the page offers. */
export const MAX_BATCH = 256;
/** More than most frames last: the page then drops every other one. */
export const MAX_PRESSURE_MS = 24;
const URL_DELAY_MS = 250;

/** Which backends may be tried; `auto` is framebatch's own order. */
export const BACKENDS = ["auto", "webgpu", "webnn", "wasm"] as const;
export type Backend = (typeof BACKENDS)[number];

/** framebatch's release rules, its default first, and what each of them says of a batch. */
export const RELEASE_LABELS: Readonly<Record<ReleaseMode, string>> = {
  frame: "before the next paint",
  idle: "when the worker is free",
  window: "after 10 ms, or when full",
};
export const RELEASES: readonly ReleaseMode[] = Object.keys(RELEASE_LABELS).filter(isRelease);

function isRelease(word: string): word is ReleaseMode {
  return Object.hasOwn(RELEASE_LABELS, word);
}

/** How the callers of a comparison ask: again at once, or again at the next frame. */
export const PACES = ["continuous", "frame"] as const;
export type Pace = (typeof PACES)[number];

/** What the visitor may set. All of it lives in the page's address, so that a setting can be shared. */
export class Settings {
  readonly scene = signal<SceneName>("digits");
  /** How many ask the model: the tiles of a wall, or the callers of a load. */
  readonly tiles = signal(DEFAULT_TILES);
  readonly batching = signal(true);
  readonly backend = signal<Backend>("auto");
  readonly release = signal<ReleaseMode>("frame");
  readonly maxBatch = signal(MAX_BATCH);
  readonly pace = signal<Pace>("continuous");
  readonly moving = signal(true);
  /** Other work that the page pretends to have in every frame, in milliseconds. */
  readonly pressureMs = signal(0);
  /** Address of a model to use in place of a scene's own. */
  readonly model = signal<string | null>(null);

  /** What the visitor's choices mean to `createBatchedModel`; only what differs from its defaults. */
  readonly modelOptions = computed<ModelOptions>(() => ({
    ...(this.backend.value !== "auto" && { executionProviders: [this.backend.value] }),
    ...(this.release.value !== "frame" && { batching: { release: this.release.value } }),
    ...(this.maxBatch.value !== MAX_BATCH && { maxBatchSize: this.maxBatch.value }),
  }));

  readonly #prefersReducedMotion: boolean;

  constructor(search: string, prefersReducedMotion: boolean) {
    this.#prefersReducedMotion = prefersReducedMotion;
    this.#read(search);
    this.#keepAddressUpToDate();
    addEventListener("popstate", () => this.#read(location.search));
  }

  /** Goes to another scene: a step of its own in the browser's history, and away from a model given in the address. */
  goTo(scene: SceneName): void {
    if (scene === this.scene.peek()) return;
    batch(() => {
      this.scene.value = scene;
      this.model.value = null;
    });
    history.pushState(null, "", this.addressOf(scene));
  }

  /** The page's address with another scene in it. */
  addressOf(scene: SceneName): string {
    return toAddress({ ...this.#toQuery(), scene: scene === "digits" ? null : scene, model: null });
  }

  #read(search: string): void {
    const query = new URLSearchParams(search);
    batch(() => {
      this.scene.value = readWord(query.get("scene"), SCENE_NAMES);
      this.model.value = query.get("model");
      this.tiles.value = readNumber(query.get("tiles"), DEFAULT_TILES, 1, MAX_TILES);
      this.batching.value = query.get("batching") !== "off";
      this.backend.value = readWord(query.get("backend"), BACKENDS);
      this.release.value = readWord(query.get("release"), RELEASES);
      this.maxBatch.value = readNumber(query.get("maxbatch"), MAX_BATCH, 1, MAX_BATCH);
      this.pace.value = readWord(query.get("pace"), PACES);
      this.moving.value = (query.get("moving") ?? (this.#prefersReducedMotion ? "off" : "on")) === "on";
      this.pressureMs.value = readNumber(query.get("pressure"), 0, 0, MAX_PRESSURE_MS);
    });
  }

  /** Slightly late: browsers limit how often an address may change, and a slider changes it with every pixel. */
  #keepAddressUpToDate(): void {
    effect(() => {
      const next = this.#toQuery();
      const timer = setTimeout(() => history.replaceState(null, "", toAddress(next)), URL_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }

  /** `null`: the default, which the address need not repeat. */
  #toQuery(): Record<string, string | null> {
    return {
      scene: unless(this.scene.value, "digits"),
      model: this.model.value,
      tiles: unless(this.tiles.value, DEFAULT_TILES),
      batching: this.batching.value ? null : "off",
      backend: unless(this.backend.value, "auto"),
      release: unless(this.release.value, "frame"),
      maxbatch: unless(this.maxBatch.value, MAX_BATCH),
      pace: unless(this.pace.value, "continuous"),
      moving: this.moving.value === !this.#prefersReducedMotion ? null : this.moving.value ? "on" : "off",
      pressure: unless(this.pressureMs.value, 0),
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

function readWord<Word extends string>(text: string | null, words: readonly Word[]): Word {
  const [usual] = words;
  if (usual === undefined) throw new Error("A setting needs a word to stand for nothing.");
  return words.find((word) => word === text) ?? usual;
}

/** The settings in their order, then whatever else the address held, such as a query of somebody else's. */
function toAddress(settings: Record<string, string | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value !== null) query.set(name, value);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (!Object.hasOwn(settings, name)) query.append(name, value);
  }
  return `${location.pathname}${query.size === 0 ? "" : `?${query}`}${location.hash}`;
}
