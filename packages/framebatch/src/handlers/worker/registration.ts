import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import { quoteNames } from "@framebatch/batcher/errors/option-errors.js";
import { hostTimer, type Timer } from "@framebatch/host/host-timer.js";
import { Watchdog } from "@framebatch/host/watchdog.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { AnyHandlers, AnyEngine } from "./handlers.js";

/** Time within which the worker's module calls `serve`, in milliseconds. Its top level may await other modules. */
const SERVE_TIMEOUT_MS = 15_000;

type Given =
  | { readonly handlers: AnyHandlers; readonly engine?: never }
  | { readonly engine: AnyEngine; readonly handlers?: never };

/** Where `serve` registers, which names no model. */
const NO_NAME = "";

/** Waits for what the module of this worker gives to `serve` and `serve.model`, at any time. */
export class Registration {
  readonly #given = new Map<string, Given>();
  /** What waits for each name. */
  readonly #waiting = new Map<string, Set<(given: Given) => void>>();

  /** Whether the module has given an engine. */
  get hasEngine(): boolean {
    return this.#given.get(NO_NAME)?.engine !== undefined;
  }

  /** @throws INVALID_OPTION for a second call, or a value that is neither handlers nor an engine */
  register(functions: unknown): void {
    this.#add(NO_NAME, givenIn(functions));
  }

  /** Registers the handlers of one model of a group. @throws as `register`, and for a name that is no text */
  registerModel(name: unknown, handlers: unknown): void {
    if (typeof name !== "string" || name === NO_NAME)
      throw invalid("a name of at least one character", describeValue(name), 'write serve.model("mel", handlers)');
    checkHandlers(handlers);
    this.#add(name, { handlers });
  }

  /**
   * Resolves when the module has given handlers.
   * @param name the name of the model; default: that of the worker's only one
   * @throws WORKER_LOAD_FAILED when it does not, within the time of a slow start; INVALID_OPTION for an engine
   */
  async handlers(timer: Timer = hostTimer, name: string = NO_NAME): Promise<AnyHandlers> {
    const { handlers } = await this.#inTime(timer, name);
    if (handlers !== undefined) return handlers;
    throw invalid("handlers, as createBatchedModel needs", "an engine", "open this worker with createBatchedWorker");
  }

  /** Resolves when the module has given an engine. @throws as `handlers` */
  async engine(timer: Timer = hostTimer): Promise<AnyEngine> {
    const { engine } = await this.#inTime(timer, NO_NAME);
    if (engine !== undefined) return engine;
    const fix = "add run, or open this worker with createBatchedModel";
    throw invalid("an engine, as createBatchedWorker needs: { run }", "an object without run", fix);
  }

  #add(name: string, given: Given): void {
    if (this.#given.has(name))
      throw invalid(`one call of ${callFor(name)} in a worker`, "a second one", "merge the two objects");
    this.#given.set(name, given);
    for (const resolve of this.#waiting.get(name) ?? []) resolve(given);
  }

  #inTime(timer: Timer, name: string): Promise<Given> {
    return new Promise((resolve, reject) => {
      const given = this.#given.get(name);
      if (given !== undefined) return resolve(given);
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting);
      const watchdog = new Watchdog(timer, SERVE_TIMEOUT_MS, (ms) => reject(notServed(name, ms)));
      waiting.add((late) => {
        watchdog.stop();
        resolve(late);
      });
    });
  }
}

/**
 * Resolves with the handlers of a model; with `null` if it has none.
 * @throws as `Registration.handlers`; INVALID_OPTION for those of the other kind of model
 */
export async function handlersFor(
  { served, generate }: Pick<LoadRequest, "served" | "generate">,
  registration: Pick<Registration, "handlers">,
): Promise<AnyHandlers | null> {
  if (served !== "handlers") return null;
  const handlers = await registration.handlers();
  const names = HANDLER_NAMES.filter((name) => Reflect.get(handlers, name) !== undefined);
  if (generate === undefined) checkForItems(names);
  else checkForTexts(names);
  return handlers;
}

function checkForItems(names: readonly string[]): void {
  if (!names.includes("choose")) return;
  const fix = "set generate, which it is for, or leave it out";
  throw invalid("{ preprocess, postprocess } for a model that generates no texts", '"choose"', fix);
}

function checkForTexts(names: readonly string[]): void {
  if (names.length === 1 && names[0] === "choose") return;
  const fix = names.length === 0 ? "add it, or leave the worker out" : "leave others out: prompts are tokens already";
  throw invalid("{ choose } for a model that generates texts", quoteNames(names), fix);
}

function callFor(name: string): string {
  return name === NO_NAME ? "serve" : `serve.model("${name}")`;
}

const FORMS = "{ preprocess, postprocess }, { choose } or { load, run, agrees, dispose }";

const HANDLER_NAMES: readonly string[] = [
  "begin",
  "preprocess",
  "postprocess",
  "choose",
] satisfies (keyof AnyHandlers)[];
const ENGINE_NAMES: readonly string[] = ["load", "run", "agrees", "dispose"] satisfies (keyof AnyEngine)[];

function givenIn(functions: unknown): Given {
  if (isEngine(functions)) {
    checkNames(functions, ENGINE_NAMES);
    return { engine: functions };
  }
  checkHandlers(functions);
  return { handlers: functions };
}

function isEngine(value: unknown): value is AnyEngine {
  return typeof value === "object" && value !== null && "run" in value;
}

function checkHandlers(value: unknown): asserts value is AnyHandlers {
  if (typeof value !== "object" || value === null) throw invalid(FORMS, describeValue(value), "give it an object");
  checkNames(value, HANDLER_NAMES);
}

function checkNames(functions: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(functions)) {
    if (!names.includes(name)) throw invalid(FORMS, `"${name}"`, "remove it, or correct its name");
    const mayLack = value === undefined && name !== "run";
    if (!mayLack && typeof value !== "function")
      throw invalid(`${name} to be a function`, describeValue(value), "write a function");
  }
}

function notServed(name: string, ms: number): FramebatchError {
  const call = name === NO_NAME ? `serve(${FORMS})` : `serve.model("${name}", { preprocess, postprocess })`;
  const message = `expected the worker's module to call ${call}, got no call for ${ms} ms; import it from "framebatch/worker"`;
  return new FramebatchError("WORKER_LOAD_FAILED", message);
}

function invalid(expected: string, got: string, fix: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `serve: expected ${expected}, got ${got}; ${fix}`);
}
