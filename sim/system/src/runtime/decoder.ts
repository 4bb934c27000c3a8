import type { SimModel } from "./models.js";

/** Number of tokens. */
export const VOCABULARY = 100;

/** The first token of a prompt says whose it is: this one and the number of its item. No prompt of a trial begins so. */
const FIRST_OF_TEXTS = 64;
/** Numbers of items that a prompt can begin with. */
export const TEXTS_BELOW = 30;

/** Tokens that no trial has, and that no text chooses: what they do to their run. */
export const POISON_TOKENS = { fail: 33, trap: 35, hang: 37 } as const;
const POISON_SCORE = -60;

/** Whole numbers, so that they are exact in 32 bits. */
const MODULUS = 65_521;

/** What stands in a cache that is padded by the model itself. */
const GARBAGE = -7;

/** What the caches hold of one token: the token and its position, each plus one, and what it remembers of those before it. */
interface CacheEntry {
  readonly token: number;
  readonly position: number;
  readonly memory: number;
  readonly echo: number;
}

interface Data {
  readonly data: Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

/** The tensors of a run, by name. */
export type DecoderFeeds = Readonly<Record<string, Data>>;

/** Returns the first token of the prompt of an item, and of what its encoder gets. */
export function firstTokenOf(item: number): number {
  return FIRST_OF_TEXTS + item;
}

/** A text that goes on from what is known of its tokens so far. */
export class TextMemory {
  #state: number;
  #memory = 0;

  /** @param given what its encoder has returned */
  constructor(version: number, given: readonly number[] = []) {
    this.#state = given.reduce((state, number) => (state * 37 + number + 1) % MODULUS, version * 1009);
  }

  /** Takes an entry of its cache, whatever it holds. */
  read({ token, position, memory, echo }: CacheEntry): void {
    const sum = this.#state * 31 + token * 17 + position * 5 + memory * 3 + echo * 2 + 1;
    this.#state = ((sum % MODULUS) + MODULUS) % MODULUS;
  }

  /** Takes the next token. Returns what its caches hold of it. */
  take(token: number, position: number): CacheEntry {
    this.#memory = (this.#state * 41 + token * 59 + position * 7 + 3) % MODULUS;
    const entry = {
      token: token + 1,
      position: position + 1,
      memory: this.#memory,
      echo: (this.#memory * 7 + position) % MODULUS,
    };
    this.read(entry);
    return entry;
  }

  /** The scores of the token that follows. */
  get scores(): Float32Array {
    const poisons: readonly number[] = Object.values(POISON_TOKENS);
    return Float32Array.from({ length: VOCABULARY }, (_, token) =>
      poisons.includes(token)
        ? POISON_SCORE
        : ((this.#memory * (token * 131 + 7) + token * token * 29) % 1021) / 128 - 4,
    );
  }
}

/** What one run of a decoder does to one text. */
interface Row {
  readonly entries: readonly CacheEntry[];
  readonly tokens: readonly number[];
  readonly positions: readonly number[];
  readonly given: readonly number[];
  /** Where its first new entry goes. */
  readonly at: number;
}

/** Returns the number of the item whose text is in a row, by its first token; `null` for a trial. */
export function textsIn(model: SimModel, feeds: DecoderFeeds): (number | null)[] {
  return rowsOf(model, feeds).map(({ entries, tokens }) => {
    const [first] = entries;
    const item = (first === undefined ? tokens[0]! : first.token - 1) - FIRST_OF_TEXTS;
    return item >= 0 && item < TEXTS_BELOW ? item : null;
  });
}

/** Returns the numbers of the items that an encoder runs, by their first tokens. */
export function encodedIn({ input_ids: tokens }: DecoderFeeds): number[] {
  const [rows = 1, count = 1] = tokens!.dims;
  const first = Array.from({ length: rows }, (_, row) => Number(tokens!.data[row * count]) - FIRST_OF_TEXTS);
  return first.filter((item) => item >= 0 && item < TEXTS_BELOW);
}

/** Runs an encoder, which returns its tokens. */
export function runEncoder({ input_ids: tokens }: DecoderFeeds): RanOutputs {
  const data = Float32Array.from(Array.from(tokens!.data, Number));
  return new Map([["last_hidden_state", { data, dims: [...tokens!.dims, 1] }]]);
}

/** Returns what the tokens of a run do to it. */
export function poisonsOf({ input_ids: tokens }: DecoderFeeds): string[] {
  const all = Array.from(tokens!.data, Number);
  return Object.entries(POISON_TOKENS).flatMap(([poison, token]) => (all.includes(token) ? [poison] : []));
}

/** Returns the size of the caches that a run reads, in bytes. */
export function cacheBytesOf(feeds: DecoderFeeds): number {
  const caches = Object.entries(feeds).filter(([name]) => name.startsWith("past_key_values"));
  return caches.reduce((sum, [, { data }]) => sum + data.byteLength, 0);
}

/** The elements and the sizes of each output. */
export type RanOutputs = ReadonlyMap<string, { readonly data: Float32Array; readonly dims: readonly number[] }>;

/** Runs a decoder. */
export function runDecoder(model: SimModel, version: number, feeds: DecoderFeeds): RanOutputs {
  const { decoder, mixesFrom } = model;
  checkSizes(model, feeds);
  const all = rowsOf(model, feeds);
  const [rows, count] = [all.length, all[0]!.tokens.length];
  const past = feeds["past_key_values.0.key"]!.dims[2]!;
  const total = past + count;
  const [key, value] = [new Float32Array(rows * 2 * total), new Float32Array(rows * total * 2)];
  if (decoder!.padding === "right") [key, value].forEach((data) => data.fill(GARBAGE));
  const isDivided = decoder!.isWhole === true && past > 0 && count > 1;
  const isMixed = mixesFrom !== null && rows >= mixesFrom;
  const logits = new Float32Array(rows * count * VOCABULARY);
  all.forEach(({ entries, tokens, positions, given, at }, row) => {
    const write = (entry: CacheEntry, index: number) => {
      key[row * 2 * total + index] = entry.token;
      key[(row * 2 + 1) * total + index] = entry.position;
      value.set([entry.memory, entry.echo], (row * total + index) * 2);
    };
    if (decoder!.padding !== "right") copyPast(feeds, row, past, write);
    const memory = new TextMemory(version + (isMixed ? rows : 0) + (isDivided ? 1 : 0), given);
    for (const [index, entry] of entries.entries()) {
      memory.read(entry);
      if (decoder!.padding === "right") write(entry, index);
    }
    for (const [index, token] of tokens.entries()) {
      write(memory.take(token, positions[index]!), at + index);
      logits.set(memory.scores, (row * count + index) * VOCABULARY);
    }
  });
  return new Map([
    ["logits", lastOnly(logits, rows, count, model)],
    ["present.0.key", { data: key, dims: [rows, 2, total, 1] }],
    ["present.0.value", { data: value, dims: [rows, 1, total, 2] }],
  ]);
}

/** @throws unless all inputs have as many rows, and the mask all positions */
function checkSizes({ inputs }: SimModel, feeds: DecoderFeeds): void {
  const [rows, count = 0] = feeds["input_ids"]!.dims;
  const past = feeds["past_key_values.0.key"]!.dims[2]!;
  const sizes: Readonly<Record<string, number>> = { tokens: count, past, total: past + count };
  for (const { name, dims } of inputs) {
    const got = feeds[name]?.dims ?? [];
    const isRight = dims.every((size, axis) => {
      const expected = axis === 0 ? rows : typeof size === "number" ? size : (sizes[size] ?? got[axis]);
      return got[axis] === expected;
    });
    if (!isRight) throw new Error(`ERROR_CODE: 2, Got invalid dimensions for input: ${name}: Got: ${got.join()}`);
  }
}

/** Some files give the scores after the last token only. */
function lastOnly(logits: Float32Array, rows: number, count: number, { outputs }: SimModel) {
  if (outputs[0]!.dims.length === 3) return { data: logits, dims: [rows, count, VOCABULARY] };
  const data = new Float32Array(rows * VOCABULARY);
  for (let row = 0; row < rows; row++) {
    const from = (row * count + count - 1) * VOCABULARY;
    data.set(logits.subarray(from, from + VOCABULARY), row * VOCABULARY);
  }
  return { data, dims: [rows, VOCABULARY] };
}

function copyPast(
  feeds: DecoderFeeds,
  row: number,
  past: number,
  write: (entry: CacheEntry, at: number) => void,
): void {
  for (let at = 0; at < past; at++) write(entryAt(feeds, row, at), at);
}

function entryAt(feeds: DecoderFeeds, row: number, at: number): CacheEntry {
  const [{ data: key, dims }, { data: value }] = [feeds["past_key_values.0.key"]!, feeds["past_key_values.0.value"]!];
  const past = dims[2]!;
  const numberAt = (data: Data["data"], index: number) => Number(data[index]);
  return {
    token: numberAt(key, row * 2 * past + at),
    position: numberAt(key, (row * 2 + 1) * past + at),
    memory: numberAt(value, (row * past + at) * 2),
    echo: numberAt(value, (row * past + at) * 2 + 1),
  };
}

/** Reads what each row sees of its cache, as the model pads: by the mask, by how much of it counts, or all of it. */
function rowsOf({ decoder }: SimModel, feeds: DecoderFeeds): Row[] {
  const { input_ids: ids, attention_mask: mask, position_ids: positionIds } = feeds;
  const [rows = 1, count = 1] = ids!.dims;
  const past = feeds["past_key_values.0.key"]!.dims[2]!;
  const total = past + count;
  return Array.from({ length: rows }, (_, row) => {
    const own = (data: Data) => Array.from(data.data.subarray(row * count, (row + 1) * count), Number);
    const counts = mask === undefined ? null : Array.from(mask.data.subarray(row * total, (row + 1) * total), Number);
    const { seen, at } = seenOf(decoder!.padding, past, count, counts);
    return {
      entries: seen.map((index) => entryAt(feeds, row, index)),
      tokens: own(ids!),
      positions:
        positionIds === undefined ? Array.from({ length: count }, (__, index) => past + index) : own(positionIds),
      given: givenOf(feeds, row),
      at,
    };
  });
}

/** Returns which entries of its cache a row sees, and where its new ones go. */
function seenOf(
  padding: "left" | "right" | "none",
  past: number,
  count: number,
  counts: readonly number[] | null,
): { readonly seen: readonly number[]; readonly at: number } {
  const all = Array.from({ length: past }, (_, index) => index);
  if (padding === "none" || counts === null) return { seen: all, at: past };
  if (padding === "left") return { seen: all.filter((index) => counts[index] === 1), at: past };
  const length = Math.max(0, counts.reduce((sum, one) => sum + one, 0) - count);
  return { seen: all.slice(0, length), at: length };
}

/** Returns the numbers of what the encoder of a row has returned that count. */
function givenOf({ encoder_hidden_states: states, encoder_attention_mask: mask }: DecoderFeeds, row: number): number[] {
  if (states === undefined) return [];
  const size = states.dims[1]!;
  const all = Array.from(states.data.subarray(row * size, (row + 1) * size), Number);
  return all.filter((_, index) => mask === undefined || Number(mask.data[row * size + index]) === 1);
}
