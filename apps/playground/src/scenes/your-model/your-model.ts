import { computed, effect, signal } from "@preact/signals";
import type { BatchedModel, Item, Outputs } from "framebatch";
import type { Load } from "../../measure/load.js";
import type { Playground } from "../../playground.js";
import type { SceneModel } from "../scene.js";
import { BusyCallers } from "./busy-callers.js";
import { generateItems, type ItemPlan } from "./generate-items.js";
import { usualChoice, usualSizes, type InputChoice } from "./input-choice.js";

/** An answer is read by a person: no more often than this. */
const ANSWER_MS = 400;

/** A model of the visitor's: a file, or an address. */
export interface Chosen {
  readonly source: string | File;
  readonly name: string;
}

/** The state of the scene: which model it is, what it is asked, and what it answers. */
export class YourModel {
  readonly playground: Playground;
  readonly chosen = signal<Chosen | null>(null);
  readonly model = computed<SceneModel | null>(() => {
    const chosen = this.chosen.value;
    return chosen === null ? null : { source: chosen.source, options: {} };
  });
  readonly sizes = signal<Readonly<Record<string, number>>>({});
  readonly choices = signal<Readonly<Record<string, InputChoice>>>({});
  readonly seed = signal(1);
  /** `null` while there is no model. */
  readonly plan = computed<ItemPlan | null>(() => {
    const inputs = this.playground.model.value?.inputs;
    if (inputs === undefined) return null;
    const sizes = { ...usualSizes(inputs), ...this.sizes.value };
    return { inputs, sizes, choices: this.choices.value, seed: this.seed.value };
  });
  readonly items = computed<readonly Item[]>(() => (this.plan.value === null ? [] : generateItems(this.plan.value)));
  readonly answer = signal<Outputs | null>(null);
  readonly #stopEffects: readonly (() => void)[];
  #answeredMs = -Infinity;

  constructor(playground: Playground) {
    this.playground = playground;
    const address = playground.settings.model.peek();
    if (address !== null) this.chosen.value = { source: address, name: nameIn(address) };
    this.#stopEffects = [effect(() => this.#forgetAnswer()), effect(() => this.#keepBusy())];
  }

  dispose(): void {
    for (const stop of this.#stopEffects) stop();
  }

  chooseFile(file: File): void {
    this.#choose({ source: file, name: file.name }, null);
  }

  chooseAddress(address: string): void {
    this.#choose({ source: address, name: nameIn(address) }, address);
  }

  changeInput(name: string, change: Partial<InputChoice>): void {
    const input = this.plan.peek()?.inputs.find((candidate) => candidate.name === name);
    if (input === undefined) return;
    const current = this.choices.peek()[name] ?? usualChoice(input);
    this.choices.value = { ...this.choices.peek(), [name]: { ...current, ...change } };
  }

  changeSize(dimension: string, size: number): void {
    this.sizes.value = { ...this.sizes.peek(), [dimension]: size };
  }

  /** One prediction, for the visitor to see an answer. */
  async askOnce(): Promise<void> {
    const [model, item] = [this.playground.model.peek(), this.items.peek()[0]];
    if (model === null || item === undefined) return;
    try {
      this.answer.value = await this.playground.requests.ask(model, "you", item);
    } catch (error) {
      this.playground.reportFailure(error);
    }
  }

  createLoad(): Load {
    const { tiles, pace } = this.playground.settings;
    const items = this.items.peek();
    return {
      callers: tiles.peek(),
      pace: pace.peek(),
      item: (caller, turn) => items[(caller + 17 * turn) % items.length] ?? [],
    };
  }

  /** What was set for one model's inputs means nothing to another's. A file cannot be part of the page's address. */
  #choose(chosen: Chosen, address: string | null): void {
    this.sizes.value = {};
    this.choices.value = {};
    this.playground.settings.model.value = address;
    this.chosen.value = chosen;
  }

  #forgetAnswer(): void {
    void this.chosen.value;
    this.answer.value = null;
  }

  /** Callers that go on asking, as long as the visitor wants the instruments to show something. */
  #keepBusy(): (() => void) | undefined {
    const { playground } = this;
    const { settings } = playground;
    const model = playground.model.value;
    const isWanted = settings.moving.value && !playground.comparing.value && playground.failure.value === null;
    if (model === null || !isWanted || this.items.value.length === 0) return undefined;
    // Read so that a change begins anew.
    void [settings.tiles.value, settings.pace.value];
    return this.#startCallers(model);
  }

  #startCallers(model: BatchedModel): () => void {
    const { playground } = this;
    const callers = new BusyCallers(
      (caller, item) => playground.requests.ask(model, `caller ${caller + 1}`, item),
      this.createLoad(),
      (outputs) => this.#show(outputs),
      (error) => playground.reportFailure(error),
    );
    return () => callers.stop();
  }

  #show(outputs: Outputs): void {
    if (performance.now() - this.#answeredMs < ANSWER_MS) return;
    this.#answeredMs = performance.now();
    this.answer.value = outputs;
  }
}

/** The last part of an address, without its query. */
function nameIn(address: string): string {
  return /([^/?#]+)(?:[?#].*)?$/.exec(address)?.[1] ?? address;
}
