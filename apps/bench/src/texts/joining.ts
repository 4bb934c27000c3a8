import type { GeneratedText, GeneratingModel } from "framebatch/wasm";
import { mean, median, quantileOf } from "../statistics/quantile.js";
import type { Random } from "../statistics/random.js";
import type { Prompt } from "./prompts.js";

/** Tokens that each text has at least, before another one joins. */
const TOKENS_BEFORE = 16;
/** Tokens of the text that joins. The others go on until it has them. */
const JOINING_TOKENS = 4;
/** More than they write until then. */
const RUNNING_TOKENS = 240;
/** The other text joins so long after that, at most, in milliseconds: at any time of a step. */
const LATEST_MS = 40;
const ROUNDS = 3;

/** What a text that joins costs those that run, and what they cost it. Times in milliseconds. */
export interface Joining {
  /** Mean time between two tokens of a text that runs, before the other one joins. */
  readonly stepMs: number;
  /** From the call of the text that joins to its first token, and the same with no other text; medians of the rounds. */
  readonly firstMs: number;
  readonly firstAloneMs: number;
  /** p99 and mean of the times between tokens of the texts that run, from that call to that token, in all rounds. */
  readonly gapP99Ms: number;
  readonly gapMeanMs: number;
}

/** The tokens that a text has so far, and when each arrived. */
interface Followed {
  readonly tokens: number[];
  readonly timesMs: number[];
}

interface Round {
  readonly stepMs: number;
  readonly firstMs: number;
  readonly firstAloneMs: number;
  readonly gapsMs: readonly number[];
}

/** Lets a text join others that run, several times. Returns what it took, and the tokens of all texts by their prompts. */
export async function measureJoining(
  model: GeneratingModel,
  running: readonly Prompt[],
  joining: Prompt,
  random: Random,
): Promise<{ readonly joining: Joining; readonly texts: readonly (readonly number[])[] }> {
  const rounds: Round[] = [];
  let texts: readonly (readonly number[])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const joined = await joinOnce(model, running, joining, random() * LATEST_MS);
    rounds.push(joined.round);
    texts = joined.texts;
  }
  const gapsMs = rounds.flatMap((round) => round.gapsMs);
  return {
    texts,
    joining: {
      stepMs: mean(rounds.map(({ stepMs }) => stepMs)),
      firstMs: median(rounds.map(({ firstMs }) => firstMs)),
      firstAloneMs: median(rounds.map(({ firstAloneMs }) => firstAloneMs)),
      gapP99Ms: quantileOf(gapsMs, 0.99),
      gapMeanMs: mean(gapsMs),
    },
  };
}

async function joinOnce(
  model: GeneratingModel,
  running: readonly Prompt[],
  joining: Prompt,
  delayMs: number,
): Promise<{ readonly round: Round; readonly texts: readonly (readonly number[])[] }> {
  const write = (input_ids: Prompt, maxNewTokens: number) => model.generate({ input_ids }, { maxNewTokens });
  const startedAtMs = performance.now();
  const [aloneAtMs = Number.NaN] = (await follow(write(joining, 1), () => true)).timesMs;
  let begin = (): void => undefined;
  const underWay = new Promise<void>((resolve) => (begin = resolve));
  let isOver = false;
  const goesOn = (tokens: number): boolean => {
    if (tokens === TOKENS_BEFORE) begin();
    return !isOver;
  };
  const others = Promise.all(running.map((prompt) => follow(write(prompt, RUNNING_TOKENS), goesOn)));
  await underWay;
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const calledAtMs = performance.now();
  const joined = await follow(write(joining, JOINING_TOKENS), () => true);
  isOver = true;
  const ran = await others;
  const [firstAtMs = Number.NaN] = joined.timesMs;
  if (ran.some(({ timesMs }) => timesMs.at(-1)! < firstAtMs)) throw new Error("Expected texts that run longer.");
  return {
    texts: [...ran, joined].map(({ tokens }) => tokens),
    round: {
      stepMs: mean(ran.flatMap(({ timesMs }) => gapsBetween(timesMs, 0, calledAtMs))),
      firstMs: firstAtMs - calledAtMs,
      firstAloneMs: aloneAtMs - startedAtMs,
      gapsMs: ran.flatMap(({ timesMs }) => gapsBetween(timesMs, calledAtMs, firstAtMs)),
    },
  };
}

/** @param goesOn called after each token; if it returns `false`, the text ends */
async function follow(text: GeneratedText, goesOn: (tokens: number) => boolean): Promise<Followed> {
  const followed: Followed = { tokens: [], timesMs: [] };
  for await (const token of text) {
    followed.tokens.push(token);
    followed.timesMs.push(performance.now());
    if (!goesOn(followed.tokens.length)) break;
  }
  return followed;
}

/** Returns the times between tokens of a text of which the later one came in this time. */
function gapsBetween(timesMs: readonly number[], fromMs: number, toMs: number): number[] {
  return timesMs.flatMap((timeMs, index) =>
    index > 0 && timeMs > fromMs && timeMs <= toMs ? [timeMs - timesMs[index - 1]!] : [],
  );
}
