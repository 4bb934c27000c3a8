import type { Written } from "../ort/decoder-worker.js";
import { seededRandom } from "../statistics/random.js";
import { FramebatchLane } from "./framebatch-lane.js";
import { type Joining, measureJoining } from "./joining.js";
import { DECODER_URL, openLane, type TextLane, type TextLaneName, together } from "./lanes.js";
import { promptsOf } from "./prompts.js";

/** Texts to write: `count` at a time, as often as it takes to write the first `texts`. */
export interface TextTask {
  readonly promptTokens: number;
  readonly newTokens: number;
  readonly count: number;
  readonly texts: number;
}

/** Texts that run, and one that joins them: the prompt of this number. */
export interface JoinTask {
  readonly running: number;
  readonly runningTokens: number;
  readonly promptTokens: number;
  readonly number: number;
}

/** The tokens of texts of prompts of one length, which are numbered from `from`. */
export interface WrittenTexts {
  readonly promptTokens: number;
  readonly from: number;
  readonly texts: readonly (readonly number[])[];
}

export interface TextRates {
  readonly tokensPerSecond: number;
  /** The same, without the time in which texts have no first token yet. */
  readonly stepTokensPerSecond: number;
}

/** Of the lane's worker, in bytes. */
export interface TextMemory {
  readonly wasmBytes: number;
  /** The most that the caches of all texts had; `null` if the lane does not tell. */
  readonly cacheBytes: number | null;
  readonly weightBytes: number;
}

const WARM_UP_TOKENS = 8;

let lane: TextLane | null = null;

const page = {
  /** Opens a lane, and writes some texts. */
  async open(name: TextLaneName): Promise<void> {
    lane = await openLane(name);
    await lane.write(promptsOf(32, 0, 2, 0), WARM_UP_TOKENS);
  },

  async measure(
    { promptTokens, newTokens, count, texts }: TextTask,
    seed: number,
  ): Promise<{ readonly rates: TextRates; readonly written: WrittenTexts }> {
    const written: Written[] = [];
    for (let from = 0; from < texts; from += count)
      written.push(await opened().write(promptsOf(promptTokens, from, count, seed), newTokens));
    const all = together(written);
    const rates = {
      tokensPerSecond: (texts * newTokens * 1000) / all.ms,
      stepTokensPerSecond: (all.stepTokens * 1000) / all.stepMs,
    };
    return { rates, written: { promptTokens, from: 0, texts: all.texts } };
  },

  async join(
    { running, runningTokens, promptTokens, number }: JoinTask,
    seed: number,
  ): Promise<{ readonly joining: Joining; readonly written: readonly WrittenTexts[] }> {
    const others = promptsOf(runningTokens, 0, running, seed);
    const [joiner] = promptsOf(promptTokens, number, 1, seed);
    const { joining, texts } = await measureJoining(generating().model, others, joiner!, seededRandom(seed));
    const written = [
      { promptTokens: runningTokens, from: 0, texts: texts.slice(0, running) },
      { promptTokens, from: number, texts: texts.slice(running) },
    ];
    return { joining, written };
  },

  async memory(): Promise<TextMemory> {
    const own = opened();
    const { headers } = await fetch(DECODER_URL, { method: "HEAD" });
    return {
      wasmBytes: await own.wasmBytes(),
      cacheBytes: own instanceof FramebatchLane ? own.peakCacheBytes : null,
      weightBytes: Number(headers.get("Content-Length")),
    };
  },
};

function opened(): TextLane {
  if (lane === null) throw new Error("Expected an open lane first.");
  return lane;
}

function generating(): FramebatchLane {
  const own = opened();
  if (own instanceof FramebatchLane) return own;
  throw new Error("Expected a lane in which texts can join.");
}

declare global {
  interface Window {
    texts: typeof page;
  }
}

window.texts = page;
