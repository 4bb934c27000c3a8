import { useSignal } from "@preact/signals";

/** How long the button shows the outcome, in ms. */
const SAID_MS = 2000;

interface CopyButtonProps {
  readonly label: string;
  readonly text: () => string;
  readonly testId: string;
  readonly isDisabled?: boolean;
}

/** Copies a text to the clipboard, and announces whether that worked. */
export function CopyButton({ label, text, testId, isDisabled = false }: CopyButtonProps) {
  const shown = useSignal(label);
  const say = (said: string): void => {
    shown.value = said;
    setTimeout(() => (shown.value = label), SAID_MS);
  };
  const copy = async (): Promise<void> => {
    try {
      // Pages that are not secure have no clipboard.
      await navigator.clipboard.writeText(text());
      say("Copied");
    } catch {
      say("Copying is not allowed. Select the text.");
    }
  };
  return (
    <button type="button" class="button" data-testid={testId} disabled={isDisabled} onClick={() => void copy()}>
      <span aria-live="polite">{shown}</span>
    </button>
  );
}
