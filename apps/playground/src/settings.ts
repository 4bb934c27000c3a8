import { effect, signal } from "@preact/signals";

export const MAX_TILES = 256;
const DEFAULT_TILES = 64;
const URL_DELAY_MS = 250;

/** Which backends may be tried; `auto` is framebatch's own order. */
export const BACKENDS = ["auto", "webgpu", "wasm"] as const;
export type Backend = (typeof BACKENDS)[number];

/** How the callers of a comparison ask: again at once, or again at the next frame. */
export const PACES = ["continuous", "frame"] as const;
export type Pace = (typeof PACES)[number];

/** What the visitor may set. All of it lives in the page's address, so that a setting can be shared. */
export class Settings {
  readonly tiles = signal(DEFAULT_TILES);
  readonly batching = signal(true);
  readonly backend = signal<Backend>("auto");
  readonly pace = signal<Pace>("continuous");
  readonly moving = signal(true);
  /** Address of a model to use in place of the built-in one. */
  readonly model: string | null;

  constructor(search: string, prefersReducedMotion: boolean) {
    const query = new URLSearchParams(search);
    this.model = query.get("model");
    this.tiles.value = readTiles(query.get("tiles"));
    this.batching.value = query.get("batching") !== "off";
    this.backend.value = readWord(query.get("backend"), BACKENDS);
    this.pace.value = readWord(query.get("pace"), PACES);
    this.moving.value = (query.get("moving") ?? (prefersReducedMotion ? "off" : "on")) === "on";
    this.#keepAddressUpToDate();
  }

  /** Slightly late: browsers limit how often an address may change, and a slider changes it with every pixel. */
  #keepAddressUpToDate(): void {
    effect(() => {
      const next = this.#toQuery();
      const timer = setTimeout(() => {
        const query = mergeQuery(location.search, next);
        history.replaceState(null, "", `${location.pathname}${query === "" ? "" : `?${query}`}${location.hash}`);
      }, URL_DELAY_MS);
      return () => clearTimeout(timer);
    });
  }

  /** `null`: the default, which the address need not repeat. */
  #toQuery(): Record<string, string | null> {
    return {
      tiles: this.tiles.value === DEFAULT_TILES ? null : String(this.tiles.value),
      batching: this.batching.value ? null : "off",
      backend: this.backend.value === "auto" ? null : this.backend.value,
      pace: this.pace.value === "continuous" ? null : this.pace.value,
      moving: this.moving.value ? null : "off",
    };
  }
}

function readTiles(text: string | null): number {
  const tiles = Math.round(Number(text ?? DEFAULT_TILES));
  return Number.isFinite(tiles) ? Math.min(MAX_TILES, Math.max(1, tiles)) : DEFAULT_TILES;
}

function readWord<Word extends string>(text: string | null, words: readonly [Word, ...Word[]]): Word {
  return words.find((word) => word === text) ?? words[0];
}

function mergeQuery(search: string, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.toString();
}
