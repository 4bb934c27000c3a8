import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { ArrayArea } from "./array-area.js";
import type { RunAnswer, RunMessage } from "./protocol.js";
import { answerOfArrays, arraysOfAnswer, arraysOfRun, type OutputTypes, runOfArrays } from "./run-arrays.js";
import type { FastLane } from "./connect.js";
import type { Answer, ReceivedRuns } from "./serve.js";

/**
 * Sends small batches through shared memory, on cross-origin isolated pages. A message between threads costs each side
 * 50 to 100 µs to serialize and deliver. Here both sides wait with `Atomics.waitAsync`, so neither thread blocks, and
 * both handle messages while they wait. Whatever does not fit into the memory is sent by message: large batches and
 * answers, strings, errors.
 *
 * The memory has a header and `SLOTS` slots. A slot has one area for the run and one for the answer. The header holds
 * a counter, which the page increments for each run, then the state of each slot.
 */
const SLOTS = 2;
const AREA_BYTES = 2 ** 17;
const HEADER_BYTES = 64;
const MEMORY_BYTES = HEADER_BYTES + SLOTS * 2 * AREA_BYTES;

/** The page may write a run. */
const FREE = 0;
/** The worker has a run to read. */
const SENT = 1;
/** The worker executes the run. */
const TAKEN = 2;
/** The page has an answer to read. */
const ANSWERED = 3;

/** The view of one slot, on either thread. */
class Slot {
  readonly #header: Int32Array;
  readonly #state: number;
  readonly run: ArrayArea;
  readonly answer: ArrayArea;

  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = HEADER_BYTES + index * 2 * AREA_BYTES;
    this.#header = header(memory);
    this.#state = 1 + index;
    this.run = new ArrayArea(memory, offset, AREA_BYTES);
    this.answer = new ArrayArea(memory, offset + AREA_BYTES, AREA_BYTES);
  }

  get state(): number {
    return Atomics.load(this.#header, this.#state);
  }

  set state(state: number) {
    Atomics.store(this.#header, this.#state, state);
    Atomics.notify(this.#header, this.#state);
  }

  /** Resolves when the worker has left the slot to the page. */
  async returned(): Promise<void> {
    for (let { state } = this; state === SENT || state === TAKEN; { state } = this)
      await waitWhile(this.#header, this.#state, state);
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

/** The page's side. */
export class SharedSlots implements FastLane {
  readonly memory = new SharedArrayBuffer(MEMORY_BYTES);
  readonly #header = header(this.memory);
  readonly #slots = slotsOf(this.memory);
  /** Those whose state a wait observes: a further wait would last as long as the slot is used again and again. */
  readonly #watched = new Set<Slot>();
  readonly #types: OutputTypes;
  readonly #onAnswer: (answer: RunAnswer) => void;

  /** @param outputs those of the model */
  constructor(outputs: readonly TensorInfo[], onAnswer: (answer: RunAnswer) => void) {
    this.#types = Object.fromEntries(outputs.map(({ name, type }) => [name, type]));
    this.#onAnswer = onAnswer;
  }

  send(message: RunMessage): boolean {
    const slot = this.#freeSlot();
    const arrays = slot === null ? null : arraysOfRun(message);
    if (slot === null || arrays === null || !slot.run.write(arrays)) return false;
    slot.state = SENT;
    Atomics.add(this.#header, 0, 1);
    Atomics.notify(this.#header, 0);
    if (!this.#watched.has(slot)) void this.#watch(slot);
    return true;
  }

  #freeSlot(): Slot | null {
    for (const slot of this.#slots) if (slot.state === FREE) return slot;
    return null;
  }

  collect(): void {
    for (const slot of this.#slots) this.#read(slot);
  }

  /** The replies no longer matter. */
  end(): void {
    for (const slot of this.#slots) slot.state = FREE;
  }

  /** Reads the answers in a slot until it is free. The wait for a run that was answered by message goes on with the next run. */
  async #watch(slot: Slot): Promise<void> {
    this.#watched.add(slot);
    while (slot.state !== FREE) {
      await slot.returned();
      this.#read(slot);
    }
    this.#watched.delete(slot);
  }

  #read(slot: Slot): void {
    if (slot.state !== ANSWERED) return;
    const answer = answerOfArrays(this.#types, slot.answer.read());
    slot.state = FREE;
    this.#onAnswer(answer);
  }
}

/**
 * The worker's side: passes the runs in `memory` on until the worker ends.
 * @param post sends an answer by message
 */
export async function receiveFrom(memory: SharedArrayBuffer, runs: ReceivedRuns, post: Answer): Promise<never> {
  const [words, slots] = [header(memory), slotsOf(memory)];
  for (let seen = 0; ; seen = Atomics.load(words, 0)) {
    for (const slot of slots) if (slot.state === SENT) take(slot, runs, post);
    await waitWhile(words, 0, seen);
  }
}

function take(slot: Slot, runs: ReceivedRuns, post: Answer): void {
  slot.state = TAKEN;
  runs.received(runOfArrays(slot.run.read()), (answer, transfer) => {
    const arrays = arraysOfAnswer(answer);
    const fits = arrays !== null && slot.answer.write(arrays);
    if (!fits) post(answer, transfer);
    slot.state = fits ? ANSWERED : FREE;
  });
}
