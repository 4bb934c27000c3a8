import { setOwn, type Tensor, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { RunAnswer, RunMessage } from "./protocol.js";
import type { FastLane } from "./transport.js";
import type { Answer, ReceivedRuns } from "./serve.js";
import type { TypedData } from "@framebatch/rows/collate/sent-rows.js";

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
  /** The slots whose state a wait observes: a further wait would last as long as the slot is used again and again. */
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

  /**
   * Reads the answers in a slot until it is free. The wait for a run that was answered by message goes on with the next
   * run.
   */
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

type ArrayClass = new (buffer: ArrayBuffer) => TypedData;

/**
 * The classes of arrays that can be in an area, on both threads. This module imports no code, so that the file that a
 * page loads for shared memory divides no other one.
 */
const CLASSES: readonly ArrayClass[] = [
  Float64Array,
  Float32Array,
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  ...halfFloats(),
];
const NAMES = CLASSES.map(({ name }) => name);
const WORD_BYTES = 4;
/** Number of words in the table for each array. */
const ENTRY_WORDS = 3;
/** Alignment of the elements of each array, in bytes: the size of the largest element. */
const ALIGNMENT = 8;

/**
 * A part of shared memory that holds arrays. It starts with a table of 32-bit words: the number of arrays, then for
 * each array its class, byte offset and byte length. The elements follow. Only one thread at a time may use an area;
 * the code that owns the area ensures this.
 */
export class ArrayArea {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /**
   * @param offset start of the area in `memory`, in bytes; a multiple of 8
   * @param byteLength size of the area, in bytes; a multiple of 4
   */
  constructor(memory: SharedArrayBuffer, offset: number, byteLength: number) {
    this.#words = new Int32Array(memory, offset, byteLength / WORD_BYTES);
    this.#bytes = new Uint8Array(memory, offset, byteLength);
  }

  /** Copies arrays into the area. Returns false if they do not fit; the contents of the area are then undefined. */
  write(arrays: readonly TypedData[]): boolean {
    let word = 1;
    let offset = WORD_BYTES * (1 + ENTRY_WORDS * arrays.length);
    if (offset > this.#bytes.length) return false;
    for (const array of arrays) {
      const kind = NAMES.indexOf(array[Symbol.toStringTag]);
      offset = Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
      if (kind < 0 || offset + array.byteLength > this.#bytes.length) return false;
      this.#words[word] = kind;
      this.#words[word + 1] = offset;
      this.#words[word + 2] = array.byteLength;
      this.#bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
      word += ENTRY_WORDS;
      offset += array.byteLength;
    }
    this.#words[0] = arrays.length;
    return true;
  }

  /** Copies the arrays out of the area. The caller owns their buffers. */
  read(): TypedData[] {
    const arrays: TypedData[] = [];
    const end = 1 + ENTRY_WORDS * this.#words[0]!;
    for (let word = 1; word < end; word += ENTRY_WORDS) {
      const offset = this.#words[word + 1]!;
      const copy = this.#bytes.slice(offset, offset + this.#words[word + 2]!);
      arrays.push(new CLASSES[this.#words[word]!]!(copy.buffer));
    }
    return arrays;
  }
}

/** The class `Float16Array`, where the browser has it. */
function halfFloats(): ArrayClass[] {
  const Class: unknown = Reflect.get(globalThis, "Float16Array");
  return isHalfFloats(Class) ? [Class] : [];
}

function isHalfFloats(value: unknown): value is ArrayClass {
  return typeof value === "function" && value.name === "Float16Array";
}

/**
 * The outputs of the model. A record, as the outputs of an answer are: JavaScript puts names such as "12" before
 * others, and in both alike.
 */
type OutputTypes = Readonly<Record<string, TensorInfo["type"]>>;

/**
 * Returns a run as arrays: its numbers, then the columns. Returns `null` if it has no rows, a column is not packed, or
 * a row is a step.
 */
export function arraysOfRun({ run, request }: RunMessage): TypedData[] | null {
  if (!("rows" in request) || request.steps !== undefined) return null;
  const { rows, paddedSize, extents } = request;
  const arrays: TypedData[] = [Float64Array.of(run, rows.count, paddedSize, extents.length, ...extents, ...rows.sizes)];
  for (const column of rows.columns) {
    if (!("buffer" in column)) return null;
    arrays.push(column);
  }
  return arrays;
}

export function runOfArrays([numbers, ...columns]: readonly TypedData[]): RunMessage {
  const [run = 0, count = 0, paddedSize = 0, width = 0, ...sizes] = numbersIn(numbers);
  const extents = sizes.splice(0, width);
  return { run, request: { rows: { count, sizes, columns }, paddedSize, extents } };
}

/**
 * Returns an answer as arrays: its numbers, then the outputs. Returns `null` for an error, and unless each output is
 * one tensor of numbers.
 */
export function arraysOfAnswer({ ran, reply }: RunAnswer): TypedData[] | null {
  if (!reply.ok || !("outputs" in reply)) return null;
  const numbers = [ran, reply.inferenceMs];
  const arrays: TypedData[] = [];
  for (const name of Object.keys(reply.outputs)) {
    const rows = reply.outputs[name]!;
    if (!("data" in rows) || !("buffer" in rows.data)) return null;
    numbers.push(rows.dims.length, ...rows.dims);
    arrays.push(rows.data);
  }
  return [Float64Array.from(numbers), ...arrays];
}

export function answerOfArrays(types: OutputTypes, [numbers, ...arrays]: readonly TypedData[]): RunAnswer {
  const all = numbersIn(numbers);
  const [ran = 0, inferenceMs = 0] = all;
  const outputs: Record<string, Tensor> = {};
  let [place, index] = [2, 0];
  for (const name of Object.keys(types)) {
    const start = place + 1;
    place = start + all[place]!;
    setOwn(outputs, name, { type: types[name]!, dims: all.slice(start, place), data: arrays[index]! });
    index += 1;
  }
  return { ran, reply: { ok: true, outputs, inferenceMs } };
}

function numbersIn(array: TypedData | undefined): number[] {
  return array instanceof Float64Array ? [...array] : [];
}
