import { encodeText, type Language, type LanguageGuess } from "@framebatch/models/languages";
import { effect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Playground } from "../../playground.js";
import { LatestAsker } from "./latest-asker.js";
import { SURE } from "./sureness.js";
import type { TextTable } from "./text-table.js";

interface TableRowProps {
  readonly playground: Playground;
  readonly table: TextTable;
  readonly row: number;
  /** The index of the reused row element. When a row scrolls out, its element is reused for a row that scrolls in. */
  readonly place: number;
  readonly isInView: boolean;
  /** In pixels. */
  readonly top: number;
}

/**
 * A text and its language. It calls the model independently of other rows. Visible rows have priority over rows around
 * the view.
 */
export function TableRow({ playground, table, row, place, isInView, top }: TableRowProps) {
  useQuestion(playground, table, row, place, isInView);
  const { text, language } = table.rows[row] ?? { text: "", language: null };
  const guess = table.guessOf(row).value;
  return (
    <div
      class="text-row"
      role="row"
      aria-rowindex={row + 2}
      style={`transform: translateY(${top}px)`}
      data-state={stateOf(guess, language)}
    >
      <span class="text-number" role="cell">
        {row + 1}
      </span>
      <span class="text-words" role="cell" dir="auto" lang={(language ?? guess?.language)?.tag}>
        {text}
      </span>
      <span class="text-language" role="cell">
        {guess === null ? null : (
          <>
            <span class="text-own-name" lang={guess.language.tag}>
              {guess.language.ownName}
            </span>
            <span class="text-name">{describe(guess, language)}</span>
          </>
        )}
      </span>
      <span class="text-share" role="cell">
        {guess === null ? null : <Share share={guess.probability} />}
      </span>
    </div>
  );
}

function stateOf(guess: LanguageGuess | null, language: Language | null): "waiting" | "differs" | "unsure" | "known" {
  if (guess === null) return "waiting";
  if (isWrong(guess, language)) return "differs";
  return guess.probability < SURE ? "unsure" : "known";
}

function describe(guess: LanguageGuess, language: Language | null): string {
  return isWrong(guess, language) ? `actually ${language?.name}` : guess.language.name;
}

function isWrong(guess: LanguageGuess, language: Language | null): boolean {
  return language !== null && guess.language.tag !== language.tag;
}

function Share({ share }: { share: number }) {
  return (
    <>
      <span class="bar-track">
        <span class="bar-fill" style={`transform: scaleX(${share.toFixed(2)})`} />
      </span>
      {Math.round(100 * share)} %
    </>
  );
}

function useQuestion(playground: Playground, table: TextTable, row: number, place: number, isInView: boolean): void {
  const asker = useMemo(() => new LatestAsker(playground, `place ${place}`), [playground, place]);
  useEffect(() => () => asker.stop(), [asker]);
  useEffect(
    () =>
      effect(() => {
        if (playground.comparing.value || table.guessOf(row).peek() !== null) return;
        const text = table.rows[row]?.text ?? "";
        if (encodeText(text).ids.length === 0) return;
        asker.ask({
          text,
          priority: isInView ? "user-visible" : "background",
          hear: (guesses) => table.answer(row, guesses),
        });
      }),
    [asker, table, row, isInView],
  );
}
