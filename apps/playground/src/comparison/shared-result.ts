import type { ExecutionProvider } from "framebatch";
import type { BatchCost } from "../measure/batch-cost.js";
import { MEASURES, type Gain, type Gains, type LaneFigure, type Measure } from "../measure/gain.js";
import type { Outcome } from "../measure/outcome.js";
import { HIGHEST, LOWEST } from "../measure/rounded.js";
import { MAX_BATCH, MAX_CALLERS, MAX_PRESSURE_MS, PACES, RELEASES } from "../settings.js";
import { PROVIDERS } from "../shell/provider-names.js";
import type { Conditions } from "./conditions.js";

/** A result that a link carries. */
export interface SharedResult {
  readonly outcome: Outcome;
  readonly conditions: Conditions;
  /** The day of the measurement, in UTC: "2026-11-22". */
  readonly day: string;
}

/**
 * The format: fields in a fixed order, the version first. The separator occurs in no field, and `URLSearchParams`
 * leaves it as it is.
 */
const VERSION = "3";
const SEPARATOR = "_";
/** A field without a number. */
const UNKNOWN = "x";

const MAX_LENGTH = 600;
const MAX_WORDS = 60;
const MAX_CORES = 1024;
/** By how much a rounded factor may miss its figures, and a rounded interval its factor. */
const ROUNDING = 1.02;

/** Writes a result as text for a URL, with all digits of its figures, which are rounded. */
export function encodeResult({ outcome, conditions, day }: SharedResult): string {
  const { callers, pace, maxBatch, cost, batchSize, noise, keepsUp, gains } = outcome;
  const { model, release, pressureMs, provider, adapter, cores } = conditions;
  const fields = [VERSION, day, plain(model), callers, pace, maxBatch, release, pressureMs, provider];
  const circumstances = [plain(adapter ?? ""), cores, Number(keepsUp), cost?.size ?? 0, cost?.times ?? 0];
  const quality = [batchSize ?? 0, noise ?? UNKNOWN];
  const figures = MEASURES.flatMap((measure) => encodeGain(gains[measure]));
  return [...fields, ...circumstances, ...quality, ...figures].join(SEPARATOR);
}

/**
 * Reads a result from a URL, which anyone may have written: every field is checked, and the verdict is decided again
 * from the figures. Returns `null` if a field is missing or not possible.
 */
export function decodeResult(text: string): SharedResult | null {
  if (text.length > MAX_LENGTH) return null;
  const fields = new Fields(text.split(SEPARATOR));
  try {
    return readResult(fields);
  } catch {
    return null;
  }
}

function readResult(fields: Fields): SharedResult {
  fields.oneOf([VERSION]);
  const day = fields.day();
  const model = fields.words();
  const callers = fields.integer(2, MAX_CALLERS);
  const pace = fields.oneOf(PACES);
  const maxBatch = fields.integer(2, MAX_BATCH);
  const release = fields.oneOf(RELEASES);
  const pressureMs = fields.integer(0, MAX_PRESSURE_MS);
  const provider: ExecutionProvider = fields.oneOf(PROVIDERS);
  const adapter = fields.words() || null;
  const cores = fields.integer(1, MAX_CORES);
  const keepsUp = fields.integer(0, 1) === 1;
  const cost = readCost(fields);
  const batchSize = fields.number(0, MAX_BATCH) || null;
  const noise = fields.optional(HIGHEST);
  const gains = readGains(fields);
  fields.end();
  const outcome = { callers, pace, maxBatch, gains, cost, batchSize, noise, keepsUp };
  return { outcome, conditions: { model, release, pressureMs, provider, adapter, cores }, day };
}

function readCost(fields: Fields): BatchCost | null {
  const size = fields.integer(0, MAX_BATCH);
  const times = fields.number(0, HIGHEST);
  return size === 0 ? null : { size, times };
}

function readGains(fields: Fields): Gains {
  const throughput = readGain(fields, "throughput");
  const median = readGain(fields, "median");
  const p99 = readGain(fields, "p99");
  const first = readGain(fields, "first");
  return { throughput, median, p99, first };
}

function encodeGain({ single, batched, factor }: Gain): (string | number)[] {
  const cutOffs = Number(single.isAtLeast) + 2 * Number(batched.isAtLeast);
  return [single.value, batched.value, factor.value, factor.low, factor.high, cutOffs];
}

function readGain(fields: Fields, measure: Measure): Gain {
  const figures = [fields.number(LOWEST, HIGHEST), fields.number(LOWEST, HIGHEST)] as const;
  const [value, low, high] = [
    fields.number(LOWEST, HIGHEST),
    fields.number(LOWEST, HIGHEST),
    fields.number(LOWEST, HIGHEST),
  ];
  const cutOffs = fields.integer(0, measure === "throughput" ? 0 : 3);
  const single: LaneFigure = { value: figures[0], isAtLeast: (cutOffs & 1) !== 0 };
  const batched: LaneFigure = { value: figures[1], isAtLeast: (cutOffs & 2) !== 0 };
  const ratio = measure === "throughput" ? batched.value / single.value : single.value / batched.value;
  // The link has the factor as well: the ratio of rounded figures may show as another one.
  if (value > ratio * ROUNDING || value < ratio / ROUNDING) throw new RangeError("A factor misses its figures.");
  if (low > value * ROUNDING || high < value / ROUNDING) throw new RangeError("An interval misses its factor.");
  return { single, batched, factor: { value, low, high } };
}

/** Reads one field after the other. Throws at the first one that is not as expected. */
class Fields {
  readonly #fields: readonly string[];
  #next = 0;

  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  oneOf<Word extends string>(words: readonly Word[]): Word {
    const text = this.#take();
    const found = words.find((word) => word === text);
    if (found === undefined) throw new RangeError(`Unknown word: ${text}`);
    return found;
  }

  /** Letters, digits, spaces and a few signs. */
  words(): string {
    const text = this.#take();
    if (text !== plain(text)) throw new RangeError(`Not plain words: ${text}`);
    return text;
  }

  day(): string {
    const text = this.#take();
    if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) throw new RangeError(`Not a day: ${text}`);
    return text;
  }

  integer(min: number, max: number): number {
    const number = this.number(min, max);
    if (!Number.isInteger(number)) throw new RangeError(`Not an integer: ${number}`);
    return number;
  }

  number(min: number, max: number): number {
    const text = this.#take();
    const number = Number(text);
    if (!/^\d+(\.\d+)?(e-\d+)?$/.test(text) || number < min || number > max)
      throw new RangeError(`Not a number: ${text}`);
    return number;
  }

  /** A number, or `null` where it is not known. */
  optional(max: number): number | null {
    if (this.#fields[this.#next] !== UNKNOWN) return this.number(0, max);
    this.#next++;
    return null;
  }

  end(): void {
    if (this.#next !== this.#fields.length) throw new RangeError("There are too many fields.");
  }

  #take(): string {
    const text = this.#fields[this.#next++];
    if (text === undefined) throw new RangeError("A field is missing.");
    return text;
  }
}

/** Replaces all other characters, so that a field contains no separator and no markup. */
function plain(words: string): string {
  return words.replaceAll(/[^\w .()+-]|_/g, "-").slice(0, MAX_WORDS);
}
