import type { WrittenTexts } from "../../src/texts/main.js";

/** Returns where texts differ from what was written first from the same prompt, if one is not only longer than the other. */
export function differences(all: readonly { readonly lane: string; readonly written: WrittenTexts }[]): string[] {
  const known = new Map<string, { readonly lane: string; readonly tokens: readonly number[] }>();
  return all.flatMap(({ lane, written: { promptTokens, from, texts } }) =>
    texts.flatMap((tokens, index) => {
      const name = `text ${from + index} after ${promptTokens} tokens`;
      const first = known.get(name);
      if (first === undefined || first.tokens.length < tokens.length) known.set(name, { lane, tokens });
      const at = tokens.findIndex((token, place) => token !== (first?.tokens[place] ?? token));
      if (first === undefined || at < 0) return [];
      return [`${name}: token ${at} is ${tokens[at]} in ${lane} and ${first.tokens[at]} in ${first.lane}`];
    }),
  );
}
