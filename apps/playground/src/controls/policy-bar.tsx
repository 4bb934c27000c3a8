import type { Signal } from "@preact/signals";
import type { Playground } from "../playground.js";
import { MAX_BATCH, MAX_PRESSURE_MS, PACES, RELEASE_LABELS, RELEASES, type Pace } from "../settings.js";

const PACE_LABELS: Readonly<Record<Pace, string>> = {
  continuous: "after each answer",
  frame: "once per frame",
};

/** The settings for batching and for the load. They apply to the scene and to its comparison. */
export function PolicyBar({ playground, caller }: { playground: Playground; caller: string }) {
  const { settings, comparing } = playground;
  return (
    <section class="policy" aria-label="Batching and load">
      <Choice
        label="A batch is sent"
        testId="release"
        words={RELEASES}
        labels={RELEASE_LABELS}
        value={settings.release}
        playground={playground}
      />
      <Choice
        label={`Each measured ${caller} sends a request`}
        testId="pace"
        words={PACES}
        labels={PACE_LABELS}
        value={settings.pace}
        playground={playground}
      />
      <label class="policy-field">
        <span class="policy-label">
          Largest batch <span class="policy-value">{settings.maxBatch}</span>
        </span>
        <input
          type="range"
          min={0}
          max={Math.log2(MAX_BATCH)}
          step={1}
          data-testid="max-batch"
          aria-valuetext={`${settings.maxBatch.value} requests`}
          value={Math.round(Math.log2(settings.maxBatch.value))}
          disabled={comparing}
          onChange={({ currentTarget }) => (settings.maxBatch.value = 2 ** currentTarget.valueAsNumber)}
        />
      </label>
      <label class="policy-field">
        <span class="policy-label">
          Other work per frame <span class="policy-value">{settings.pressureMs} ms</span>
        </span>
        <input
          type="range"
          min={0}
          max={MAX_PRESSURE_MS}
          step={2}
          data-testid="pressure"
          aria-valuetext={`${settings.pressureMs.value} milliseconds`}
          value={settings.pressureMs}
          disabled={comparing}
          onInput={({ currentTarget }) => (settings.pressureMs.value = currentTarget.valueAsNumber)}
        />
      </label>
    </section>
  );
}

interface ChoiceProps<Word extends string> {
  readonly label: string;
  readonly testId: string;
  readonly words: readonly Word[];
  readonly labels: Readonly<Record<Word, string>>;
  readonly value: Signal<Word>;
  readonly playground: Playground;
}

function Choice<Word extends string>({ label, testId, words, labels, value, playground }: ChoiceProps<Word>) {
  const choose = (chosen: string): void => {
    const word = words.find((candidate) => candidate === chosen);
    if (word !== undefined) value.value = word;
  };
  return (
    <label class="policy-field">
      <span class="policy-label">{label}</span>
      <select
        class="select"
        data-testid={testId}
        value={value.value}
        disabled={playground.comparing}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {words.map((word) => (
          <option key={word} value={word}>
            {labels[word]}
          </option>
        ))}
      </select>
    </label>
  );
}
