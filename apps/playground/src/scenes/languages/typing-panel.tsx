import type { LanguageGuess } from "@framebatch/models/languages";
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { formatShare } from "../../format.js";
import type { Languages } from "./languages.js";
import { sampleTexts } from "./sample-texts.js";
import { TOO_UNSURE } from "./sureness.js";

/**
 * The result is announced to screen readers once the text has not changed for this long, in ms, not after each
 * keystroke.
 */
const CALM_MS = 900;

/** The text field. Every keystroke sends a request. Several pasted lines become the rows of the table. */
export function TypingPanel({ languages }: { languages: Languages }) {
  const { typed, hasPasted } = languages;
  const takeLines = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim().includes("\n")) return;
    event.preventDefault();
    languages.paste(text);
  };
  return (
    <section class="typing" aria-label="Typing">
      <label class="typing-label" for="typed-text">
        Type in any language
      </label>
      <textarea
        id="typed-text"
        class="typing-field"
        data-testid="typed-text"
        rows={3}
        dir="auto"
        spellcheck={false}
        autocomplete="off"
        aria-describedby="typing-hint"
        value={typed}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        onPaste={takeLines}
      />
      <ul class="typing-samples" aria-label="Sentences to try">
        {sampleTexts.map(({ text, language }) => (
          <li key={text}>
            <button type="button" class="typing-sample" lang={language?.tag} onClick={() => (typed.value = text)}>
              {language?.ownName}
            </button>
          </li>
        ))}
      </ul>
      <p class="typing-hint" id="typing-hint">
        {hasPasted.value
          ? "Your lines are in the table."
          : "The model was trained on one document per language and needs about half a sentence. Paste several lines to replace the table."}{" "}
        {hasPasted.value ? (
          <button type="button" class="link" data-testid="forget-pasted" onClick={() => languages.forgetPasted()}>
            Restore the texts
          </button>
        ) : null}
      </p>
      <Announcement languages={languages} />
    </section>
  );
}

function Announcement({ languages: { typed, guesses } }: { languages: Languages }) {
  const text = useSignal("");
  const isUntouched = useComputed(() => typed.value === sampleTexts[0]?.text);
  useSignalEffect(() => {
    void typed.value;
    if (isUntouched.value) return undefined;
    const timer = setTimeout(() => {
      text.value = describe(guesses.peek()?.[0]);
    }, CALM_MS);
    return () => clearTimeout(timer);
  });
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

function describe(likeliest: LanguageGuess | undefined): string {
  if (likeliest === undefined) return "";
  const { language, probability } = likeliest;
  return probability < TOO_UNSURE ? "Too short to tell" : `${language.name}, ${formatShare(probability)} sure`;
}
