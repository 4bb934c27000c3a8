import { seededRandom } from "../../seeded-random.js";
import { languageOf, type TextRow } from "./text-rows.js";

const SEED = 7;

/** Short texts in all languages, shuffled in the same order on every visit. The texts are fetched on the first call. */
export async function loadDeclarationRows(): Promise<TextRow[]> {
  const { texts } = await import("virtual:declaration-texts");
  return shuffled(
    texts.flatMap(({ tag, texts: pieces }) => {
      const language = languageOf(tag);
      return pieces.map((text) => ({ text, language }));
    }),
  );
}

function shuffled<Element>(elements: readonly Element[]): Element[] {
  const random = seededRandom(SEED);
  return elements
    .map((element) => ({ element, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ element }) => element);
}
