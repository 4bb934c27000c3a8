import { type Agreement, disagreement } from "@framebatch/rows/tensor/agreement.js";
import type { TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { Sharing } from "../../transport/generation.js";
import type { Scores } from "../choose-token.js";
import type { Decoder } from "../decoder.js";
import type { Side } from "./cache-rows.js";
import { type DecoderRuns, FailedRun, type NextTokens, type RanText } from "./decoder-runs.js";

/** Which texts share a step, and whether a prompt may be taken in pieces. */
export interface Measured {
  readonly sharing: Sharing;
  readonly takesPieces: boolean;
  /** Whether pieces of several prompts that are not the first ones may run together. */
  readonly joinsPieces: boolean;
}

/** What is done where nothing is known: always right. */
export const UNSHARED: Measured = { sharing: "alone", takesPieces: false, joinsPieces: false };

/** Number of tokens of the texts that are compared. */
const SHORT = 3;
const LONG = 7;
/** Number of steps that follow. The second one reads what the first has written. */
const STEPS = 2;
/** Size of the vocabulary if the file does not tell it. */
const FEW_TOKENS = 16;

/** A text that runs alone, and then beside others: it must get the same scores. */
interface TrialText {
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
 * Measures which texts may share a step: runs some alone and then together, of the same and of different lengths, the caches
 * padded on the left and then on the right. Makes one run at each `next`.
 * @param given what the texts give, see `SentText`
 * @throws FailedRun when the worker can run nothing more
 */
export async function* measureSharing(
  runs: Pick<DecoderRuns, "run">,
  decoder: Pick<Decoder, "logits" | "mask">,
  given: NextTokens["given"],
  agreement: Agreement,
): Turns<Measured> {
  const trial = new Trial(runs, decoder.logits, given, agreement);
  try {
    const short = yield* trial.alone(SHORT, 1);
    const other = yield* trial.alone(SHORT, 2);
    const long = yield* trial.alone(LONG, 3);
    const takesPieces = yield* trial.passes(trial.inPieces([long]));
    const isSafe = yield* trial.passes(trial.together([short, other], "left"));
    if (!isSafe) return { ...UNSHARED, takesPieces };
    const joinsPieces = takesPieces && (yield* trial.passes(trial.inPieces([long, yield* trial.alone(LONG, 4)])));
    const found = { takesPieces, joinsPieces };
    const sides: readonly Side[] = decoder.mask === null ? [] : ["left", "right"];
    for (const side of sides) {
      const first = yield* trial.passes(trial.together([short, long], side));
      const last = first && (yield* trial.passes(trial.together([long, other, short], side)));
      if (last) return { sharing: side, ...found };
    }
    return { sharing: "equal", ...found };
  } catch (thrown) {
    if (!(thrown instanceof FailedRun) || thrown.reply.fatal) throw thrown;
    return UNSHARED;
  }
}

class Trial {
  readonly #runs: Pick<DecoderRuns, "run">;
  readonly #type: TensorType;
  readonly #vocabulary: number;
  readonly #given: NextTokens["given"];
  readonly #agreement: Agreement;

  constructor(
    runs: Pick<DecoderRuns, "run">,
    { type, dims }: Decoder["logits"],
    given: NextTokens["given"],
    agreement: Agreement,
  ) {
    this.#runs = runs;
    this.#type = type;
    this.#vocabulary = dims.at(-1) ?? FEW_TOKENS;
    this.#given = given;
    this.#agreement = agreement;
  }

  async *alone(length: number, seed: number): Turns<TrialText> {
    const tokens = Array.from({ length: length + STEPS }, (_, index) => this.#token(seed, index));
    const [prompt, steps] = [tokens.slice(0, length), tokens.slice(length)];
    const [first] = yield* this.#next([{ tokens: prompt, cache: null }], "left");
    const { cache } = first!;
    const scores = [first!.scores];
    let last = cache;
    for (const token of steps) {
      const [ran] = yield* this.#next([{ tokens: [token], cache: last }], "left");
      scores.push(ran!.scores);
      last = ran!.cache;
    }
    return { prompt, steps, cache, scores };
  }

  /** Whether prompts in two pieces give the same as whole. */
  async *inPieces(texts: readonly TrialText[]): Turns<boolean> {
    const first = texts.map(({ prompt }) => ({ tokens: prompt.slice(0, SHORT), cache: null }));
    const begun = yield* this.#next(first, "left");
    const second = texts.map(({ prompt }, index) => ({ tokens: prompt.slice(SHORT), cache: begun[index]!.cache }));
    const ended = yield* this.#next(second, "left");
    return ended.every(({ scores }, index) => this.#agree(texts[index]!.scores[0]!, scores));
  }

  /** Whether each text gets the same in a batch as alone. */
  async *together(texts: readonly TrialText[], side: Side): Turns<boolean> {
    let caches = texts.map(({ cache }) => cache);
    for (let step = 0; step < STEPS; step++) {
      const next = texts.map(({ steps }, index) => ({ tokens: [steps[step]!], cache: caches[index]! }));
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
      if (!(thrown instanceof FailedRun) || thrown.reply.fatal) throw thrown;
      return false;
    }
  }

  /** Makes a run, and ends the turn. */
  async *#next(texts: readonly Omit<NextTokens, "given">[], side: Side): Turns<readonly RanText[]> {
    const ran = await this.#runs.run(
      texts.map((text) => ({ ...text, given: this.#given })),
      side,
      { isTrial: true },
    );
    yield;
    return ran.texts;
  }

  #agree(expected: Scores, got: Scores): boolean {
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
