import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatShare } from "../../format.js";
import type { Digits } from "./digits.js";
import { followDrawing } from "./pad/follow-drawing.js";
import { UPRIGHT } from "./wall/variants.js";

const DIGITS = Array.from({ length: 10 }, (_, digit) => digit);

/**
 * The result is announced to screen readers once the drawing has not changed for this long, in ms, not after each
 * movement.
 */
const CALM_MS = 900;

/** The model's prediction for the drawing, with the probability of each digit. */
export function Prediction({ digits }: { digits: Digits }) {
  useEffect(
    () =>
      followDrawing(digits, UPRIGHT, { key: "drawing", priority: "user-blocking" }, (_, reading) => {
        digits.reading.value = reading;
      }),
    [digits],
  );
  const { reading } = digits;
  const digit = useComputed(() => digits.digit.value ?? "–");
  const isEmpty = useComputed(() => reading.value === null);
  const confidence = useComputed(() =>
    reading.value === null ? "no prediction yet" : `${Math.round(reading.value.confidence * 100)} % sure`,
  );
  return (
    <section class="prediction" aria-label="Prediction">
      <p class="prediction-answer">
        <span class="prediction-digit" data-testid="prediction" data-empty={isEmpty}>
          {digit}
        </span>
        <span class="prediction-confidence">{confidence}</span>
      </p>
      <ol class="bars" aria-label="Probability of each digit">
        {DIGITS.map((value) => (
          <Bar key={value} digits={digits} value={value} />
        ))}
      </ol>
      <Announcement digits={digits} />
    </section>
  );
}

function Bar({ digits, value }: { digits: Digits; value: number }) {
  const percent = useComputed(() => Math.round((digits.reading.value?.probabilities[value] ?? 0) * 100));
  const length = useComputed(() => `transform: scaleX(${percent.value / 100})`);
  const isChosen = useComputed(() => digits.digit.value === value);
  const share = useComputed(() => `${percent.value} %`);
  return (
    <li class="bar" data-chosen={isChosen}>
      <span class="bar-label">{value}</span>
      <span class="bar-track">
        <span class="bar-fill" style={length} />
      </span>
      <span class="bar-share">{share}</span>
    </li>
  );
}

function Announcement({ digits }: { digits: Digits }) {
  const text = useSignal("");
  useSignalEffect(() => {
    if (digits.drawing.edits.value === 0) return undefined;
    const timer = setTimeout(() => {
      const reading = digits.reading.peek();
      text.value = reading === null ? "" : `Prediction: ${reading.digit}, ${formatShare(reading.confidence)} sure`;
    }, CALM_MS);
    return () => clearTimeout(timer);
  });
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}
