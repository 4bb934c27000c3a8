import { createBatchedModel, FramebatchError, type BatchedModel, type ModelOptions, type TensorLike } from "framebatch";
import { predictAnything } from "./hostile-inputs.js";
import { randomFrom, type Random } from "../fixtures/items.js";

const SEEDS = ["mlp-tiny", "variable-length", "text-encoder", "affine-int64", "identity-string", "two-inputs"];
/** The time limit of a load and one prediction. An undamaged model takes a tenth of it on an idle machine. */
const DEADLINE_MS = 60_000;
const AT_ONCE = 2;
/** Every fifth model is loaded with the digest of the undamaged file. */
const PINNED_EVERY = 5;

/** The outcomes of loading damaged models. */
export interface FuzzReport {
  tried: number;
  /**
   * Counts by outcome: an error code, "predicts" or "too large to ask". Not allowed: "untyped …", "late" and "accepted
   * against its digest".
   */
  readonly outcomes: Record<string, number>;
  /** The models with an outcome that is not allowed. */
  readonly bad: string[];
}

type Damage = (bytes: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array<ArrayBuffer>;

const DAMAGES: Readonly<Record<string, Damage>> = {
  flip: (bytes, random) => {
    for (let left = 1 + below(8, random); left > 0; left -= 1) {
      const at = below(bytes.length, random);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8, random));
    }
    return bytes;
  },
  // Lengths and dims are varints: bytes of 0xff make them very large.
  inflate: (bytes, random) => bytes.fill(0xff, ...someRange(bytes, 10, random)),
  zero: (bytes, random) => bytes.fill(0, ...someRange(bytes, 40, random)),
  noise: (bytes, random) => {
    const [from, to] = someRange(bytes, 200, random);
    for (let at = from; at < to; at += 1) bytes[at] = below(256, random);
    return bytes;
  },
  truncate: (bytes, random) => bytes.slice(0, below(bytes.length, random)),
  repeat: (bytes, random) => {
    const [from, to] = someRange(bytes, 400, random);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  drop: (bytes, random) => {
    const [from, to] = someRange(bytes, 60, random);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  head: (bytes, random) => {
    // The graph precedes the weights. Damage to the graph has more effect.
    for (let left = 3; left > 0; left -= 1) bytes[below(Math.min(200, bytes.length), random)] = below(256, random);
    return bytes;
  },
};

/**
 * Loads the damaged models of a seed with the numbers `from` to `from + count - 1`, and calls `predict` once on each
 * that loads.
 */
export async function fuzzModels(from: number, count: number, seed: number): Promise<FuzzReport> {
  const originals = await Promise.all(SEEDS.map(fetchModel));
  const report: FuzzReport = { tried: 0, outcomes: {}, bad: [] };
  let next = from;
  const work = async () => {
    while (next < from + count) {
      const number = next++;
      const { what, bytes, integrity } = damaged(originals, number, seed);
      note(report, `${number}: ${what}`, await outcomeOf(bytes, integrity));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return report;
}

interface Original {
  readonly name: string;
  readonly bytes: ArrayBuffer;
  readonly integrity: string;
}

async function fetchModel(name: string): Promise<Original> {
  const bytes = await (await fetch(`/models/${name}.onnx`)).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { name, bytes, integrity: `sha256-${btoa(String.fromCharCode(...digest))}` };
}

function damaged(originals: readonly Original[], number: number, seed: number) {
  const random = randomFrom(seed * 1_000_003 + number);
  const original = originals[below(originals.length, random)];
  const [name, damage] = Object.entries(DAMAGES)[below(Object.keys(DAMAGES).length, random)] ?? [];
  if (original === undefined || damage === undefined) throw new RangeError("nothing to damage");
  const bytes = damage(new Uint8Array(original.bytes.slice(0)), random);
  const isSame = bytes.length === original.bytes.byteLength && isEqual(bytes, new Uint8Array(original.bytes));
  const integrity = number % PINNED_EVERY === 0 && !isSame ? original.integrity : null;
  return { what: `${name} of ${original.name}`, bytes, integrity };
}

async function outcomeOf(bytes: Uint8Array<ArrayBuffer>, integrity: string | null): Promise<string> {
  const abort = new AbortController();
  const options: ModelOptions = { executionProviders: ["wasm"], runTimeoutMs: 5000, signal: abort.signal };
  const timer = setTimeout(() => abort.abort("late"), DEADLINE_MS);
  try {
    const model = await createBatchedModel(bytes, integrity === null ? options : { ...options, integrity });
    const outcome = await askOnce(model, abort.signal);
    return integrity === null ? outcome : "accepted against its digest";
  } catch (error) {
    if (error === "late") return "late";
    return error instanceof FramebatchError ? error.code : `untyped ${String(error)}`;
  } finally {
    clearTimeout(timer);
  }
}

async function askOnce(model: BatchedModel, signal: AbortSignal): Promise<string> {
  try {
    return await askZeros(model, signal);
  } finally {
    await model.dispose();
  }
}

async function askZeros(model: BatchedModel, signal: AbortSignal): Promise<string> {
  const item: Record<string, TensorLike> = {};
  for (const { name, type, dims, batchAxis } of model.inputs) {
    const own = dims.filter((_size, axis) => axis !== batchAxis).map((size) => size ?? 2);
    const length = own.reduce((product, size) => product * size, 1);
    if (length > 1e6) return "too large to ask";
    item[name] = { data: Array.from({ length }, () => (type === "string" ? "a" : 0)), dims: own };
  }
  await predictAnything(model, item, { signal });
  return "predicts";
}

function note(report: FuzzReport, what: string, outcome: string): void {
  report.tried += 1;
  report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
  if (/^(untyped|late|accepted)/.test(outcome)) report.bad.push(`${what}: ${outcome}`);
}

function someRange(bytes: Uint8Array, longest: number, random: Random): [number, number] {
  const from = below(bytes.length, random);
  return [from, Math.min(bytes.length, from + 1 + below(longest, random))];
}

function joined(...parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, index) => byte === other[index]);
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}
