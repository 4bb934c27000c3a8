import { type Agreement, disagreement } from "@framebatch/rows/tensor/agreement.js";
import type { TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { Sharing } from "../generation-messages.js";
import type { Scores } from "../choose-token.js";
import type { Decoder } from "../decoder.js";
import type { Side } from "./cache-rows.js";
import { type DecoderRuns, FailedRun, type NextTokens, type RanText } from "./decoder-runs.js";
import { type Given, lengthened } from "./given.js";

/** Which texts share a step, and whether a prompt may be taken in pieces. */
export interface Measured {
  readonly sharing: Sharing;
  readonly takesPieces: boolean;
  /** Whether pieces of several prompts that are not the first ones may run together. */
  readonly joinsPieces: boolean;
  /** Whether texts that give different numbers of positions may run together, by the mask of what they give. */
  readonly padsGiven: boolean;
}

/** What is done where nothing is known: always right. */
export const UNSHARED: Measured = {
  sharing: "alone",
  takesPieces: false,
  joinsPieces: false,
  padsGiven: false,
};

/** Number of tokens of the texts that are compared. */
const SHORT = 3;
const LONG = 7;
/** Number of steps that follow. The second one reads what the first has written. */
const STEPS = 2;
/** Size of the vocabulary if the file does not tell it. */
const FEW_TOKENS = 16;

/** Number of positions that a text gives more than another one, at most. */
const MORE_GIVEN = 3;

/** A text that runs alone, and then beside others: it must get the same scores. */
interface TrialText {
  readonly given: Given;
  readonly prompt: readonly number[];
  /** The tokens of the steps, whatever the scores say. */
  readonly steps: readonly number[];
  /** After the prompt, alone. */
  readonly cache: RanText["cache"];
  /** After the prompt, and after each step, alone. */
  readonly scores: readonly Scores[];
}

/** Makes one run at each turn. */
type Turns<Result> = AsyncGenerator<void, Result, void>;

/**
 * Measures which texts may share a step: runs some alone and then together, of the same and of different lengths, the
 * caches padded on the left and then on the right. Makes one run at each `next`.
 * @param given what the texts give, see `SentText`
 * @throws FailedRun when the worker can run nothing more
 */
export async function* measureSharing(
  runs: Pick<DecoderRuns, "run">,
  decoder: Pick<Decoder, "logits" | "mask" | "given" | "givenMask">,
  given: Given,
  agreement: Agreement,
): Turns<Measured> {
  const trial = new Trial(runs, decoder.logits, agreement);
  try {
    const short = yield* trial.alone(SHORT, 1, given);
    const other = yield* trial.alone(SHORT, 2, given);
    const long = yield* trial.alone(LONG, 3, given);
    const takesPieces = yield* trial.passes(trial.inPieces([long]));
    const isSafe = yield* trial.passes(trial.fromTheStart([short, other]));
    if (!isSafe) return { ...UNSHARED, takesPieces };
    const joinsPieces =
      takesPieces && (yield* trial.passes(trial.inPieces([long, yield* trial.alone(LONG, 4, given)])));
    const more = lengthened(given, decoder, MORE_GIVEN);
    const padsGiven = decoder.givenMask !== null && (yield* trial.passes(trial.besideMore(short, more)));
    const found = { takesPieces, joinsPieces, padsGiven };
    const sides: readonly Side[] = decoder.mask === null ? [] : ["left", "right"];
    for (const side of sides) {
      const first = yield* trial.passes(trial.together([short, long], side));
      const last = first && (yield* trial.passes(trial.together([long, other, short], side)));
      if (last) return { sharing: side, ...found };
    }
    return { sharing: "equal", ...found };
  } catch (thrown) {
    if (isFatal(thrown)) throw thrown;
    return UNSHARED;
  }
}

/**
 * Whether the worker can run nothing more. Else, what was tried cannot be done here: there is no memory for it, or a
 * run fails.
 */
function isFatal(thrown: unknown): boolean {
  return thrown instanceof FailedRun && thrown.reply.fatal;
}

class Trial {
  readonly #runs: Pick<DecoderRuns, "run">;
  readonly #type: TensorType;
  readonly #vocabulary: number;
  readonly #agreement: Agreement;

  constructor(runs: Pick<DecoderRuns, "run">, { type, dims }: Decoder["logits"], agreement: Agreement) {
    this.#runs = runs;
    this.#type = type;
    this.#vocabulary = dims.at(-1) ?? FEW_TOKENS;
    this.#agreement = agreement;
  }

  async *alone(length: number, seed: number, given: Given): Turns<TrialText> {
    const tokens = Array.from({ length: length + STEPS }, (_, index) => this.#token(seed, index));
    const [prompt, steps] = [tokens.slice(0, length), tokens.slice(length)];
    const [first] = yield* this.#next([{ tokens: prompt, cache: null, given }], "left");
    const { cache } = first!;
    const scores = [first!.scores];
    let last = cache;
    for (const token of steps) {
      const [ran] = yield* this.#next([{ tokens: [token], cache: last, given }], "left");
      scores.push(ran!.scores);
      last = ran!.cache;
    }
    return { given, prompt, steps, cache, scores };
  }

  /** Whether prompts in two pieces give the same as whole. */
  async *inPieces(texts: readonly TrialText[]): Turns<boolean> {
    const first = texts.map(({ prompt, given }) => ({ tokens: prompt.slice(0, SHORT), cache: null, given }));
    const begun = yield* this.#next(first, "left");
    const second = texts.map(({ prompt, given }, index) => ({
      tokens: prompt.slice(SHORT),
      cache: begun[index]!.cache,
      given,
    }));
    const ended = yield* this.#next(second, "left");
    return ended.every(({ scores }, index) => this.#agree(texts[index]!.scores[0]!, scores));
  }

  /** Whether each text gets the same in a batch as alone, from its prompt on. The prompts have the same length. */
  async *fromTheStart(texts: readonly TrialText[]): Turns<boolean> {
    const first = texts.map(({ prompt, given }) => ({ tokens: prompt, cache: null, given }));
    const begun = yield* this.#next(first, "left");
    if (!begun.every(({ scores }, index) => this.#agree(texts[index]!.scores[0]!, scores))) return false;
    return yield* this.together(
      texts.map((text, index) => ({ ...text, cache: begun[index]!.cache })),
      "left",
    );
  }

  /** Whether a text gets the same beside another one that is given more. */
  async *besideMore(text: TrialText, more: Given): Turns<boolean> {
    return yield* this.fromTheStart([text, yield* this.alone(SHORT, 5, more)]);
  }

  /** Whether each text gets the same in a batch as alone, after its prompt. */
  async *together(texts: readonly TrialText[], side: Side): Turns<boolean> {
    let caches = texts.map(({ cache }) => cache);
    for (let step = 0; step < STEPS; step++) {
      const next = texts.map(({ steps, given }, index) => ({ tokens: [steps[step]!], cache: caches[index]!, given }));
      const ran = yield* this.#next(next, side);
      if (!ran.every(({ scores }, index) => this.#agree(texts[index]!.scores[step + 1]!, scores))) return false;
      caches = ran.map(({ cache }) => cache);
    }
    return true;
  }

  /** A comparison whose run fails has not passed. */
  async *passes(comparison: Turns<boolean>): Turns<boolean> {
    try {
      return yield* comparison;
    } catch (thrown) {
      if (isFatal(thrown)) throw thrown;
      return false;
    }
  }

  /** Makes a run, and ends the turn. */
  async *#next(texts: readonly NextTokens[], side: Side): Turns<readonly RanText[]> {
    const ran = await this.#runs.run(texts, side, { isTrial: true });
    yield;
    return ran.texts;
  }

  #agree(expected: Scores, got: Scores): boolean {
    // What is no number is the same as any other such, so that it would say that all sharing is safe.
    if (Array.from(expected).some(Number.isNaN)) return false;
    const tensorOf = (scores: Scores) => ({
      type: this.#type,
      dims: [scores.length],
      data: Float64Array.from(scores),
    });
    return disagreement({ scores: tensorOf(expected) }, { scores: tensorOf(got) }, this.#agreement) === null;
  }

  /** Returns tokens that differ, and that any vocabulary has. */
  #token(seed: number, index: number): number {
    return (1 + seed * 31 + index * 17 + index * index * 7) % this.#vocabulary;
  }
}
