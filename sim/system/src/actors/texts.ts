import type { GeneratedText, GeneratingModel } from "../../../../packages/framebatch/src/client/options/generation.js";
import type { GroupedModel } from "../../../../packages/framebatch/src/client/options/model-group.js";
import type { Page } from "../browser/page.js";
import { type Callable, callableOf, modelUrl, type Terms } from "./callable.js";
import type { TextsSubject } from "../scenario/kinds.js";
import type { StateChange } from "./open-other.js";
import type { Outcome } from "../logs/ledger.js";
import type { ItemSpec, PlainOptions } from "../scenario/scenario.js";
import { givenNumbers, promptOf } from "../runtime/text-alone.js";
import type { TextLog } from "../logs/text-log.js";

/** `maxCacheBytes` of the product. */
const MAX_CACHE_BYTES = 2 ** 28;
/** Size of the caches of one token, in bytes. */
export const TOKEN_BYTES = 16;

/** Opens a decoder that generates texts. */
export async function openTexts(
  { model: name, options }: TextsSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  const model = await page.framebatch.createBatchedModel(modelUrl(name), textsOptions(options));
  model.addEventListener("statechange", onState);
  return textsCallable(model, options, page);
}

/** Returns the options of a decoder. */
export function textsOptions({ maxCacheBytes, ...options }: PlainOptions) {
  return { ...options, generate: typeof maxCacheBytes === "number" ? { maxCacheBytes } : (true as const) };
}

/**
 * Returns the calls of a decoder. An item is a text: a prediction waits for its result, a stream reads its tokens.
 * @param encoder returns the encoder of its group, once that is open
 */
export function textsCallable(
  model: GeneratingModel,
  options: PlainOptions,
  page: Page,
  encoder: () => Callable | null = () => null,
): Callable {
  const begin = (item: ItemSpec, terms: Terms) => {
    const { given, isTold = false } = item.text!;
    const keep = given === undefined || isTold ? undefined : encoder()?.keep;
    const text = generate(model, item, terms, keep);
    return { text, log: logged(item, { options, isKept: keep !== undefined }, page) };
  };
  return Object.assign(callableOf(model), {
    give: (item: ItemSpec) => item,
    spoil: () => undefined,
    predict: (item: unknown, terms: Terms) => {
      const { text, log } = begin(Object(item), terms);
      follow(text, log, page);
      return text.result;
    },
    many: () => Promise.reject(new TypeError("a decoder takes one text at a time")),
    stream: ([item]: Iterable<unknown>, terms: Terms) => {
      const { text, log } = begin(Object(item), terms);
      return read(text, log, page);
    },
  });
}

/** Returns the calls of an encoder, whose items are texts of a decoder. */
export function encoderCallable(model: GroupedModel): Callable {
  const give = (item: ItemSpec) => {
    const numbers = givenNumbers(item);
    return { input_ids: numbers, attention_mask: numbers.map(() => 1) };
  };
  return Object.assign(callableOf(model, give), { keep: (item: ItemSpec) => model.keep(give(item)) });
}

function generate(
  model: GeneratingModel,
  item: ItemSpec,
  { transfer, ...terms }: Terms,
  keep: Callable["keep"],
): GeneratedText {
  void transfer;
  const { length: _, given, isTold: __, readMs: ___, ...rules } = item.text!;
  const numbers = givenNumbers(item);
  const told = {
    encoder_hidden_states: { data: Float32Array.from(numbers), dims: [numbers.length, 1] },
    encoder_attention_mask: numbers.map(() => 1),
  };
  const ofEncoder = given === undefined ? {} : { given: keep?.(item) ?? told };
  return model.generate({ input_ids: promptOf(item) }, { ...rules, ...terms, ...ofEncoder });
}

/** Reads a text, at its pace. Its result is asked for after that, since a text of which it was asked waits for no loop. */
async function* read(text: GeneratedText, log: TextLog, page: Page): AsyncIterable<number> {
  const { readMs } = log.item.text!;
  try {
    for await (const token of text) {
      yield token;
      if (readMs !== undefined)
        await new Promise<void>((resolve) => void page.world.reply(page, readMs, "read", resolve));
    }
  } finally {
    follow(text, log, page);
  }
}

function logged(
  item: ItemSpec,
  { options: { maxCacheBytes }, isKept }: { readonly options: PlainOptions; readonly isKept: boolean },
  { origin: { witness } }: Page,
): TextLog {
  const log: TextLog = {
    item,
    isKept,
    maxCacheBytes: typeof maxCacheBytes === "number" ? maxCacheBytes : MAX_CACHE_BYTES,
    settlements: 0,
    outcome: null,
    settledAtMs: null,
  };
  witness.texts.push(log);
  if (isTooLarge(log)) witness.excuse(item.id, "INVALID_OPTION");
  return log;
}

function follow(text: GeneratedText, log: TextLog, { world }: Page): void {
  const settle = (outcome: Outcome) => {
    log.settlements += 1;
    log.outcome = outcome;
    log.settledAtMs = world.nowMs;
  };
  text.result.then(
    (value) => settle({ value }),
    (error: unknown) => settle({ error }),
  );
}

/** Whether a text would never fit into the memory for caches. */
export function isTooLarge({ item: { text }, maxCacheBytes }: TextLog): boolean {
  return (text!.length + text!.maxNewTokens) * TOKEN_BYTES > maxCacheBytes;
}
