import type { Language, LanguageGuess } from "@framebatch/models/languages";
import { useComputed } from "@preact/signals";
import { formatShare } from "../../format.js";
import type { Languages } from "./languages.js";
import { SURE, TOO_UNSURE } from "./sureness.js";

const SHOWN = 5;

/** The most likely language of the typed text, and the next most likely ones. */
export function GuessPanel({ languages: { guesses } }: { languages: Languages }) {
  const likeliest = useComputed(() => guesses.value?.[0] ?? null);
  const { language, probability } = likeliest.value ?? { language: null, probability: 0 };
  return (
    <section class="guess" aria-label="Language of the typed text">
      <p class="guess-answer" data-sureness={describeSureness(probability)}>
        {language !== null && probability < TOO_UNSURE ? (
          <span class="guess-own-name" data-testid="typed-language">
            Too short to tell
          </span>
        ) : (
          <span class="guess-own-name" lang={language?.tag} data-testid="typed-language">
            {language?.ownName ?? "–"}
          </span>
        )}
        <span class="guess-name">{describeGuess(language, probability)}</span>
      </p>
      <ol class="bars" aria-label="The most likely languages">
        {Array.from({ length: SHOWN }, (_, place) => (
          <Bar key={place} guess={guesses.value?.[place] ?? null} isChosen={place === 0} />
        ))}
      </ol>
    </section>
  );
}

function describeGuess(language: Language | null, probability: number): string {
  if (language === null) return "no prediction yet";
  const sure = `${language.name}, ${formatShare(probability)} sure`;
  return probability < TOO_UNSURE ? `perhaps ${sure}` : sure;
}

function describeSureness(probability: number): "none" | "low" | "high" {
  if (probability === 0) return "none";
  return probability < SURE ? "low" : "high";
}

function Bar({ guess, isChosen }: { guess: LanguageGuess | null; isChosen: boolean }) {
  const percent = Math.round(100 * (guess?.probability ?? 0));
  return (
    <li class="bar" data-chosen={isChosen && guess !== null}>
      <span class="bar-label">{guess?.language.name ?? "–"}</span>
      <span class="bar-track">
        <span class="bar-fill" style={`transform: scaleX(${percent / 100})`} />
      </span>
      <span class="bar-share">{percent} %</span>
    </li>
  );
}
