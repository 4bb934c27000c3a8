import type { Digits } from "../digits.js";

const SAMPLES = Array.from({ length: 10 }, (_, digit) => digit);

/** The buttons that draw sample digits and clear the pad. */
export function Samples({ digits }: { digits: Digits }) {
  return (
    <div class="samples">
      <div class="sample-row" role="group" aria-label="Sample digits">
        {SAMPLES.map((digit) => (
          <button
            key={digit}
            type="button"
            class="sample"
            data-testid={`sample-${digit}`}
            aria-label={`Draw a sample ${digit}`}
            onClick={() => digits.showSample(digit)}
          >
            {digit}
          </button>
        ))}
      </div>
      <button type="button" class="button clear" data-testid="clear" onClick={() => digits.clear()}>
        Clear
      </button>
      <p class="keys">
        <kbd>0</kbd> to <kbd>9</kbd> draw samples. On the pad, the arrow keys move the pen, <kbd>Space</kbd> lowers or
        lifts it, and <kbd>Delete</kbd> clears the pad.
      </p>
    </div>
  );
}
