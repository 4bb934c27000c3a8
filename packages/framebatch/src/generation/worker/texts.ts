import { encodeError, type ErrorData } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import type { TextsAnswer, TextsRequest, TextsUse } from "../generation-messages.js";
import type { FailedReply } from "../../transport/protocol.js";
import type { Decoder } from "../decoder.js";
import { bytesOf, type Side } from "./cache-rows.js";
import { type DecoderGpu, DecoderRuns, FailedRun, type RunOutputs } from "./decoder-runs.js";
import { givenKeys } from "./given.js";
import { type Measured, measureSharing, UNSHARED } from "./measure-sharing.js";
import { type Choose, OpenText } from "./open-text.js";
import { MOST, PieceSize } from "./piece-size.js";

/** How long a run of texts goes on before the page hears of its tokens, in milliseconds: half a frame. */
const SLICE_MS = 8;
/**
 * How many times as long as what a text has taken a prompt may be, and all of them together, to come before its second
 * token.
 */
const LONGER = { each: 2, all: 8 };
/** With how many texts it is measured which of them share a step, if none seem to. */
const MOST_MEASURED = 3;

/** What runs the texts of a model. */
export interface TextsParts {
  readonly decoder: Decoder;
  /** Runs the model, in the turn of a run of texts. */
  readonly run: RunOutputs;
  readonly gpu: DecoderGpu;
  /** Whether the model is known to mix the rows of a batch, or takes one alone. */
  readonly isMixing: () => boolean;
  /** The user's part in the choice of tokens; `null` if there is none. */
  readonly choose: Choose | null;
  readonly agreement: Agreement;
  /** Returns the time, in milliseconds. */
  readonly now: () => number;
}

/** The texts that a worker generates. Texts that end leave, and others join, before each step. */
export class Texts {
  readonly #parts: TextsParts;
  readonly #runs: DecoderRuns;
  readonly #pieces = new PieceSize();
  /** By id, in the order in which the page wants them. */
  #open = new Map<number, OpenText>();
  #paused: ReadonlySet<number> = new Set();
  /** What was measured; `null` before. */
  #measured: Measured | null = null;
  #measuring: AsyncGenerator<void, Measured, void> | null = null;
  /** The texts whose `given` it was measured with. */
  readonly #measuredWith = new Set<number>();
  /** Number of requests with which texts have joined. */
  #joined = 0;
  readonly #use = { steps: 0, stepped: 0, prefillMs: 0, decodeMs: 0 };

  constructor(parts: TextsParts) {
    this.#parts = parts;
    this.#runs = new DecoderRuns(parts.decoder, parts.run, parts.gpu);
  }

  /** Makes some steps. The caller has the only turn in the worker meanwhile. */
  async run(request: TextsRequest): Promise<TextsAnswer | FailedReply> {
    const { now } = this.#parts;
    this.#take(request);
    const startedAtMs = now();
    const untilMs = startedAtMs + SLICE_MS;
    try {
      do await this.#round(untilMs);
      while (now() < untilMs && this.#goesOn(request));
    } catch (thrown) {
      // A run without an answer would keep the page waiting until it takes the worker for one that hangs.
      return thrown instanceof FailedRun ? thrown.reply : { ok: false, error: encodeError(thrown), fatal: false };
    }
    return this.#answer(now() - startedAtMs);
  }

  #take({ texts, joining, paused }: TextsRequest): void {
    const { choose, decoder } = this.#parts;
    this.#paused = new Set(paused);
    if (joining.length > 0) this.#joined += 1;
    const opened = joining.map((sent) => new OpenText(sent, givenKeys(sent.given, decoder), choose, this.#joined));
    const joined = new Map(opened.map((text) => [text.id, text]));
    const all = texts.flatMap((id) => joined.get(id) ?? this.#open.get(id) ?? []);
    const before = this.#open;
    this.#open = new Map(all.map((text) => [text.id, text]));
    for (const [id, text] of before) if (this.#open.get(id) !== text) text.release();
  }

  /** Gives up all texts. */
  release(): void {
    for (const text of this.#open.values()) text.release();
    this.#open = new Map();
  }

  #goesOn({ isCrowded }: TextsRequest): boolean {
    const all = [...this.#open.values()];
    return this.#ongoing.length > 0 && !(isCrowded && all.some((text) => text.hasEnded));
  }

  get #ongoing(): OpenText[] {
    return [...this.#open.values()].filter((text) => !text.hasEnded && !this.#paused.has(text.id));
  }

  #answer(inferenceMs: number): TextsAnswer {
    const all = [...this.#open.values()];
    const progress = all.flatMap((text) => text.progress() ?? []);
    for (const text of all.filter(({ hasEnded }) => hasEnded)) {
      text.release();
      this.#open.delete(text.id);
    }
    return { ok: true, progress, use: this.#usage(), inferenceMs, rows: all.length };
  }

  #usage(): TextsUse {
    const caches = Array.from(this.#open.values(), ({ cache }) => cache ?? []).flat();
    const sharing = this.#mayBeWrong ? null : (this.#measured?.sharing ?? null);
    return { sharing, ...this.#use, cacheBytes: bytesOf(caches) };
  }

  /** Takes a piece of a prompt, and then one step of each text whose prompt is taken. */
  async #round(untilMs: number): Promise<void> {
    const texts = this.#ongoing;
    const measured = await this.#measure(texts, untilMs);
    // Until it is known which texts share a step, none begins beside another one.
    const mayBegin = measured !== null || texts.length === 1;
    const stepping = texts.filter((text) => text.isStepping);
    const waiting = texts.filter((text) => !text.isStepping);
    if (mayBegin && waiting.length > 0) {
      const heldBack = heldBackBy(waiting, stepping);
      await this.#prefill(waiting, heldBack, measured ?? UNSHARED);
      if (heldBack === 0) return;
    }
    for (const batch of this.#batchesOf(stepping, measured ?? UNSHARED)) await this.#step(batch, sideOf(measured));
  }

  /** Returns what is known; measures it for as long as there is time, if there are several texts. */
  async #measure([first, second]: readonly OpenText[], untilMs: number): Promise<Measured | null> {
    const { now, decoder, agreement, isMixing } = this.#parts;
    if (isMixing()) this.#measured = UNSHARED;
    if (isMixing() || first === undefined || second === undefined) return this.#measured;
    if (this.#mayMeasure(first)) {
      this.#measuredWith.add(first.id);
      this.#measuring = measureSharing(this.#runs, decoder, first.given, agreement);
    }
    if (this.#measuring === null) return this.#measured;
    do {
      const turn = await this.#measuring.next();
      if (turn.done !== true) continue;
      this.#measured = turn.value;
      this.#measuring = null;
    } while (this.#measuring !== null && now() < untilMs);
    return this.#measured;
  }

  #mayMeasure(first: OpenText): boolean {
    if (this.#measuring !== null) return false;
    return this.#measured === null || (this.#mayBeWrong && !this.#measuredWith.has(first.id));
  }

  /** What one text gives may be bad, so that texts seem to share no step: others are tried then. */
  get #mayBeWrong(): boolean {
    const { decoder, isMixing } = this.#parts;
    const isAlone = this.#measured?.sharing === "alone" && decoder.given.length > 0 && !isMixing();
    return isAlone && this.#measuredWith.size < MOST_MEASURED;
  }

  /** @param heldBack number of texts that wait for their next tokens meanwhile */
  async #prefill(waiting: readonly OpenText[], heldBack: number, measured: Measured): Promise<void> {
    if (heldBack > 0) this.#pieces.divide(waiting.length, heldBack);
    const limit = heldBack > 0 ? this.#pieces.tokens : MOST;
    const { texts, count } = chosen(this.#alike(waiting, measured), limit, measured.takesPieces);
    const ms = await this.#advance(texts, count, sideOf(measured));
    this.#use.prefillMs += ms;
    this.#pieces.took(texts.length * count, ms);
  }

  /** Returns the texts that may run together with the first one, and it. Their caches have equal lengths. */
  #alike(texts: readonly OpenText[], measured: Measured): readonly OpenText[] {
    const [first] = texts;
    const isAlone = measured.sharing === "alone" || (first !== undefined && first.taken > 0 && !measured.joinsPieces);
    if (first === undefined || isAlone) return texts.slice(0, 1);
    const key = keyOf(first, measured);
    return texts.filter((text) => text.taken === first.taken && keyOf(text, measured) === key);
  }

  /** Returns the texts of each step. */
  #batchesOf(texts: readonly OpenText[], measured: Measured): OpenText[][] {
    const { sharing } = measured;
    const batches = new Map<string, OpenText[]>();
    for (const text of texts) {
      const own = sharing === "alone" ? text.id : sharing === "equal" ? text.taken : "";
      const key = `${own} ${keyOf(text, measured)}`;
      const batch = batches.get(key);
      if (batch === undefined) batches.set(key, [text]);
      else batch.push(text);
    }
    return [...batches.values()];
  }

  async #step(texts: readonly OpenText[], side: Side): Promise<void> {
    const ms = await this.#advance(texts, 1, side);
    this.#pieces.stepped(ms);
    this.#use.decodeMs += ms;
    this.#use.steps += 1;
    this.#use.stepped += texts.length;
  }

  /**
   * Runs the next tokens of some texts. If that fails, runs each alone, so that one harms no other. Returns the time.
   * @throws FailedRun when the worker can run nothing more
   */
  async #advance(texts: readonly OpenText[], count: number, side: Side): Promise<number> {
    try {
      const wantsScores = texts.some(({ left }) => left === count);
      const next = texts.map((text) => text.next(count));
      const ran = await this.#runs.run(next, side, { wantsScores });
      for (const [index, text] of texts.entries()) text.took(ran.texts[index]!);
      return ran.inferenceMs;
    } catch (thrown) {
      if (thrown instanceof FailedRun && thrown.reply.fatal) throw thrown;
      if (texts.length === 1) texts[0]!.fail(errorOf(thrown));
      let ms = 0;
      if (texts.length > 1) for (const text of texts) ms += await this.#advance([text], count, side);
      return ms;
    }
  }
}

/**
 * Returns how many texts wait too long for their next tokens if others take their prompts first. Texts that come
 * together take all prompts first, unless these are much longer: the end of each gives its first token, and pieces
 * would cost every text more than the wait for its second.
 */
function heldBackBy(waiting: readonly OpenText[], stepping: readonly OpenText[]): number {
  const lengths = waiting.map(({ left }) => left);
  const [longest, all] = [Math.max(...lengths), lengths.reduce((sum, length) => sum + length, 0)];
  const last = Math.max(...waiting.map(({ joinedIn }) => joinedIn));
  return stepping.filter(
    ({ hasStepped, taken, joinedIn }) =>
      hasStepped || joinedIn < last || longest > LONGER.each * taken || all > LONGER.all * taken,
  ).length;
}

function errorOf(thrown: unknown): ErrorData {
  if (thrown instanceof FailedRun) return thrown.reply.error;
  if (!(thrown instanceof RangeError)) return encodeError(thrown);
  const expected = `expected memory for the caches of a text (${thrown.message})`;
  return encodeError(new FramebatchError("OUT_OF_MEMORY", expected, { cause: thrown }));
}

/** Texts with another key never share a run. */
function keyOf({ keys }: OpenText, { padsGiven }: Measured): string {
  return padsGiven ? keys.ofPadded : keys.ofEqual;
}

/** Without padding, both sides are the same. */
function sideOf(measured: Measured | null): Side {
  return measured?.sharing === "right" ? "right" : "left";
}

/**
 * Chooses texts whose next tokens run together, and how many of each: as many as the shortest of them has left. Longer
 * ones go on in the next run.
 * @param limit number of tokens of all texts, unless they cannot be divided
 */
function chosen(
  texts: readonly OpenText[],
  limit: number,
  takesPieces: boolean,
): { readonly texts: readonly OpenText[]; readonly count: number } {
  const [first, ...others] = texts;
  if (first === undefined) return { texts: [], count: 0 };
  if (!takesPieces) {
    const equal = others.filter(({ left }) => left === first.left);
    return { texts: [first, ...equal.slice(0, Math.floor(limit / first.left))], count: first.left };
  }
  let count = Math.min(first.left, limit);
  const all = [first];
  for (const other of others) {
    const least = Math.min(count, other.left);
    if ((all.length + 1) * least > limit) continue;
    all.push(other);
    count = least;
  }
  return { texts: all, count };
}
