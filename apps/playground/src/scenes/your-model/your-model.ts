import { computed, effect, signal } from "@preact/signals";
import { FramebatchError, type BatchedModel, type Item, type Outputs } from "framebatch";
import type { Load } from "../../measure/load.js";
import type { Playground } from "../../playground.js";
import type { FileRemedy, SceneModel } from "../scene.js";
import { missingWeights } from "../../shell/explain-error.js";
import { isModelFile, nameIn } from "../scene-model.js";
import { BusyCallers } from "./busy-callers.js";
import type { ExampleModel } from "./examples.js";
import { explainFile } from "./explain-file.js";
import { generateItems, sizeProblem, type ItemPlan } from "./generate-items.js";
import { readGraphFacts, type GraphFacts } from "./graph/graph-facts.js";
import { usualChoice, usualSizes, type InputChoice } from "./input-choice.js";

/** Minimum time between two updates of the outputs, in ms, so that they are readable. */
const ANSWER_MS = 400;

/** The visitor's model: a file or a URL. */
export interface Chosen {
  readonly source: string | File;
  readonly name: string;
  /** As an application would write its URL. */
  readonly address: string;
  /** Files with weights of the model. */
  readonly weights: readonly File[];
}

/** The state of the scene: the model, its inputs and its outputs. */
export class YourModel {
  readonly playground: Playground;
  readonly chosen = signal<Chosen | null>(null);
  readonly model = computed<SceneModel | null>(() => {
    const chosen = this.chosen.value;
    return chosen === null ? null : toSceneModel(chosen);
  });
  readonly sizes = signal<Readonly<Record<string, number>>>({});
  readonly choices = signal<Readonly<Record<string, InputChoice>>>({});
  readonly seed = signal(1);
  /** `null` if there is no model. */
  readonly plan = computed<ItemPlan | null>(() => {
    const inputs = this.playground.model.value?.inputs;
    if (inputs === undefined) return null;
    const sizes = { ...usualSizes(inputs), ...this.sizes.value };
    return { inputs, sizes, choices: this.choices.value, seed: this.seed.value };
  });
  readonly items = computed<readonly Item[]>(() => (this.plan.value === null ? [] : generateItems(this.plan.value)));
  readonly sizeProblem = computed(() => (this.plan.value === null ? null : sizeProblem(this.plan.value)));
  readonly answer = signal<Outputs | null>(null);
  /** What the model's file says about itself; `null` while it is not known. */
  readonly graph = signal<GraphFacts | null>(null);
  /** Opens the dialog for files. The picker sets it. */
  openDialog = (): void => {};
  readonly #fileNote = signal("");
  readonly fileRemedy = computed<FileRemedy | null>(() =>
    this.chosen.value?.source instanceof File
      ? { note: this.#fileNote.value, chooseOther: () => this.openDialog() }
      : null,
  );
  readonly #stopEffects: readonly (() => void)[];
  #answeredMs = -Infinity;

  constructor(playground: Playground) {
    this.playground = playground;
    const address = playground.settings.model.peek();
    if (address !== null) this.chosen.value = chosenAt(address);
    this.#stopEffects = [
      effect(() => this.#forgetAnswer()),
      effect(() => this.#keepBusy()),
      effect(() => this.#answerOnce()),
      effect(() => this.#inspectFile()),
      effect(() => this.#readGraph()),
    ];
  }

  dispose(): void {
    for (const stop of this.#stopEffects) stop();
  }

  /** Chooses a model from files: one is the model, and the others are the files of its weights. */
  chooseFiles(files: readonly File[]): void {
    if (this.#addWeights(files)) return;
    const model = files.find(isModelFile) ?? files[0];
    if (model === undefined) return;
    const weights = files.filter((file) => file !== model);
    this.#choose({ source: model, name: model.name, address: `/models/${model.name}`, weights }, null);
  }

  /** Adds the file of weights that the chosen model lacks. Returns false if it is not among the files. */
  #addWeights(files: readonly File[]): boolean {
    const chosen = this.chosen.peek();
    const state = this.playground.lane.peek()?.state.peek();
    const path = state?.phase === "failed" ? missingWeights(state.error) : null;
    const found = files.filter(({ name }) => name === nameIn(path ?? ""));
    if (chosen === null || found.length === 0 || files.some(isModelFile)) return false;
    this.chosen.value = { ...chosen, weights: [...chosen.weights, ...found] };
    return true;
  }

  chooseExample({ name, url }: ExampleModel): void {
    this.#choose({ source: url, name, address: `/models/${name}`, weights: [] }, url);
  }

  chooseAddress(address: string): void {
    this.#choose(chosenAt(address), address);
  }

  changeInput(name: string, change: Partial<InputChoice>): void {
    const input = this.plan.peek()?.inputs.find((candidate) => candidate.name === name);
    if (input === undefined) return;
    const current = this.choices.peek()[name] ?? usualChoice(input);
    this.choices.value = { ...this.choices.peek(), [name]: { ...current, ...change } };
  }

  /** Decodes a picture, and uses it for every item. */
  async choosePicture(name: string, file: Blob): Promise<void> {
    try {
      this.changeInput(name, { picture: await createImageBitmap(file) });
    } catch (cause) {
      const message = "expected a picture, got a file that the browser cannot decode; choose a PNG, JPEG or WebP file";
      this.playground.reportFailure(new FramebatchError("INVALID_INPUT", message, { cause }));
    }
  }

  changeSize(dimension: string, size: number): void {
    this.sizes.value = { ...this.sizes.peek(), [dimension]: size };
  }

  /** Runs one prediction and shows its outputs. */
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

  /** Resets the settings of the inputs, which belong to the previous model. A file cannot be part of the page's URL. */
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

  /** Starts callers that keep sending requests while the visitor wants the instruments to show activity. */
  #keepBusy(): (() => void) | undefined {
    const { playground } = this;
    const { settings } = playground;
    const model = playground.model.value;
    const isWanted = settings.moving.value && !playground.comparing.value && playground.failure.value === null;
    if (model === null || !isWanted || this.items.value.length === 0) return undefined;
    // Subscribes to these settings: a change restarts the callers.
    void [settings.tiles.value, settings.pace.value];
    return this.#startCallers(model);
  }

  /** Shows outputs of a new model also while no callers are busy. */
  #answerOnce(): void {
    const { settings, comparing, model } = this.playground;
    if (model.value === null || settings.moving.value || comparing.value || this.items.value.length === 0) return;
    if (this.answer.peek() === null) void this.askOnce();
  }

  /** Looks at the chosen file, in case it does not load. */
  #inspectFile(): void {
    const source = this.chosen.value?.source;
    this.#fileNote.value = "";
    if (source instanceof File) void this.#inspect(source);
  }

  async #inspect(file: File): Promise<void> {
    // A file that cannot be read fails to load too, and that error says more.
    const note = await explainFile(file).catch(() => "");
    if (this.chosen.peek()?.source === file) this.#fileNote.value = note;
  }

  /** Reads the file of a model that has loaded. */
  #readGraph(): void {
    const source = this.chosen.value?.source;
    this.graph.value = null;
    if (source !== undefined && this.playground.model.value !== null) void this.#readGraphOf(source);
  }

  async #readGraphOf(source: Chosen["source"]): Promise<void> {
    // The card does without these facts if the file cannot be read again.
    const facts = await fileOf(source).then(readGraphFacts, () => null);
    if (this.chosen.peek()?.source === source) this.graph.value = facts;
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

/** The file, for a URL from the browser's HTTP cache if possible. */
async function fileOf(source: Chosen["source"]): Promise<Blob> {
  return source instanceof File ? source : (await fetch(source, { cache: "force-cache" })).blob();
}

function chosenAt(address: string): Chosen {
  return { source: address, name: nameIn(address), address, weights: [] };
}

function toSceneModel({ source, name, address, weights }: Chosen): SceneModel {
  const externalData = weights.map((file) => ({ path: file.name, source: file }));
  return { source, name, address, options: weights.length === 0 ? {} : { externalData } };
}
