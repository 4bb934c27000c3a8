import { OpenSet } from "../core/open-set.js";
import { ArrayArea } from "./array-area.js";
import type { RunReply, RunRequest, SlotReply } from "./protocol.js";
import { answerOfArrays, arraysOfAnswer, arraysOfRequest, requestOfArrays } from "./run-arrays.js";
import type { ServedApi, WorkerCalls } from "./transport.js";

/**
 * Sends small batches through shared memory, on cross-origin isolated pages. A message between threads costs each side
 * 50 to 100 µs to serialize and deliver. Here both sides wait with `Atomics.waitAsync`, so neither thread blocks, and
 * both handle messages while they wait. Large batches, strings, errors and all other calls are sent by message. A reply
 * that does not fit into its slot leaves by message at once: the worker may not hear a page that asks for it until the
 * next run has ended.
 *
 * The memory has a header and `SLOTS` slots. A slot has one area for the request and one for the answer. The header holds
 * a counter, which the page increments for each request, then the state of each slot. A slot belongs to the worker while
 * its state is `REQUESTED`, and to the page otherwise.
 */
const SLOTS = 2;
const AREA_BYTES = 2 ** 17;
const HEADER_BYTES = 64;
const MEMORY_BYTES = HEADER_BYTES + SLOTS * 2 * AREA_BYTES;

const FREE = 0;
const REQUESTED = 1;
const REPLIED = 2;
/** The reply is an error or does not fit into the slot. It comes as a message. */
const POSTED = 3;

/** Returns true if the page can share memory with a worker and wait for it without blocking. */
export function canShareMemory(): boolean {
  return globalThis.crossOriginIsolated && "waitAsync" in Atomics;
}

/** The view of one slot, on either thread. */
class Slot {
  readonly index: number;
  /** For the worker: whether its run has begun. */
  isTaken = false;
  readonly #header: Int32Array;
  readonly #state: number;
  readonly request: ArrayArea;
  readonly answer: ArrayArea;

  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = HEADER_BYTES + index * 2 * AREA_BYTES;
    this.index = index;
    this.#header = header(memory);
    this.#state = 1 + index;
    this.request = new ArrayArea(memory, offset, AREA_BYTES);
    this.answer = new ArrayArea(memory, offset + AREA_BYTES, AREA_BYTES);
  }

  get state(): number {
    return Atomics.load(this.#header, this.#state);
  }

  set state(state: number) {
    Atomics.store(this.#header, this.#state, state);
    Atomics.notify(this.#header, this.#state);
  }

  /** Resolves when the state is no longer `state`. */
  leaves(state: number): Promise<void> {
    return waitWhile(this.#header, this.#state, state);
  }
}

/** Resolves when the word at `index` is no longer `value`, and is notified. Blocks neither thread. */
async function waitWhile(words: Int32Array, index: number, value: number): Promise<void> {
  const wait = Atomics.waitAsync(words, index, value);
  if (wait.async) await wait.value;
}

function header(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, 0, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
}

function slotsOf(memory: SharedArrayBuffer): readonly Slot[] {
  return Array.from({ length: SLOTS }, (_, index) => new Slot(memory, index));
}

/** The page's side: sends runs and waits for replies. */
export class SharedRuns {
  readonly memory = new SharedArrayBuffer(MEMORY_BYTES);
  readonly #header = header(this.memory);
  readonly #slots = slotsOf(this.memory);
  readonly #outputs: readonly string[];
  readonly #runByMessage: WorkerCalls["run"];
  /** The replies that come as messages, by slot. */
  readonly #posted = new Map<number, Promised<RunReply>>();
  /** Runs in flight through shared memory. `#byMessage` counts those in flight by message. */
  readonly #pending = new OpenSet<Promise<unknown>>();
  #byMessage = 0;

  /** @param outputs names of the model's outputs */
  constructor(outputs: readonly string[], runByMessage: WorkerCalls["run"]) {
    this.#outputs = outputs;
    this.#runByMessage = runByMessage;
  }

  /** Takes a reply that did not fit into its slot. */
  heard({ slot, reply }: SlotReply): void {
    this.#reply(slot).resolve(reply);
  }

  /**
   * Runs a batch through shared memory, or by message if it does not fit. The two ways never overlap, so runs are
   * answered in the order of the calls, and the run that a worker was executing when it died is known.
   */
  async run(request: RunRequest, moved: Transferable[]): Promise<RunReply> {
    const slot = this.#byMessage > 0 ? undefined : this.#slots.find(({ state }) => state === FREE);
    const arrays = slot === undefined || !("rows" in request) ? null : arraysOfRequest(request);
    if (slot === undefined || arrays === null || !slot.request.write(arrays)) return this.#post(request, moved);
    const reply = this.#runIn(slot);
    this.#pending.add(reply);
    try {
      return await reply;
    } finally {
      this.#pending.delete(reply);
    }
  }

  /** Runs a batch by message after every run through shared memory, and before any later one. */
  async #post(request: RunRequest, moved: Transferable[]): Promise<RunReply> {
    this.#byMessage += 1;
    try {
      if (this.#pending.size > 0) await Promise.allSettled(this.#pending);
      return await this.#runByMessage(request, moved);
    } finally {
      this.#byMessage -= 1;
    }
  }

  /** Ends every wait after the worker has ended. The replies no longer matter. */
  end(): void {
    for (const slot of this.#slots) slot.state = FREE;
  }

  async #runIn(slot: Slot): Promise<RunReply> {
    slot.state = REQUESTED;
    Atomics.add(this.#header, 0, 1);
    Atomics.notify(this.#header, 0);
    await slot.leaves(REQUESTED);
    try {
      if (slot.state === POSTED) return await this.#reply(slot.index).promise;
      return answerOfArrays(this.#outputs, slot.answer.read());
    } finally {
      this.#posted.delete(slot.index);
      slot.state = FREE;
    }
  }

  /** The reply of a slot that comes, or has come, as a message. */
  #reply(slot: number): Promised<RunReply> {
    const reply = this.#posted.get(slot) ?? promised<RunReply>();
    this.#posted.set(slot, reply);
    return reply;
  }
}

interface Promised<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

function promised<Value>(): Promised<Value> {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((keep) => (resolve = keep));
  return { promise, resolve };
}

/** The worker's side: executes the runs and writes the replies. */
export class SharedService {
  readonly #api: Pick<ServedApi, "run">;
  readonly #post: (reply: SlotReply, transfer: Transferable[]) => void;

  /** @param post sends a message to the page */
  constructor(api: Pick<ServedApi, "run">, post: (reply: SlotReply, transfer: Transferable[]) => void) {
    this.#api = api;
    this.#post = post;
  }

  /** Serves the runs in `memory` until the worker ends. */
  async serve(memory: SharedArrayBuffer): Promise<never> {
    const [words, slots] = [header(memory), slotsOf(memory)];
    for (let seen = 0; ; seen = Atomics.load(words, 0)) {
      for (const slot of slots) if (slot.state === REQUESTED && !slot.isTaken) void this.#answer(slot);
      await waitWhile(words, 0, seen);
    }
  }

  async #answer(slot: Slot): Promise<void> {
    slot.isTaken = true;
    const { reply, transfer } = await this.#api.run(requestOfArrays(slot.request.read()));
    const arrays = reply.ok && "outputs" in reply ? arraysOfAnswer(reply) : null;
    const fits = arrays !== null && slot.answer.write(arrays);
    if (!fits) this.#post({ slot: slot.index, reply }, transfer);
    slot.isTaken = false;
    slot.state = fits ? REPLIED : POSTED;
  }
}
