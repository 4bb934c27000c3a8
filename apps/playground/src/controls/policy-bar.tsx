import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
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
      <Field id="release" label="A batch is sent" help="Later gives larger batches, earlier shorter waits.">
        <Choice
          id="release"
          words={RELEASES}
          labels={RELEASE_LABELS}
          value={settings.release}
          isDisabled={comparing.value}
        />
      </Field>
      <Field
        id="pace"
        label={`In a comparison, a ${caller} asks`}
        help="Each one waits for its answer before it asks again."
      >
        <Choice id="pace" words={PACES} labels={PACE_LABELS} value={settings.pace} isDisabled={comparing.value} />
      </Field>
      <Field id="max-batch" label="Largest batch" value={settings.maxBatch.value} help="1 is the same as no batching.">
        <input
          id="max-batch"
          type="range"
          min={0}
          max={Math.log2(MAX_BATCH)}
          step={1}
          data-testid="max-batch"
          aria-describedby="max-batch-help"
          aria-valuetext={`${settings.maxBatch.value} requests`}
          value={Math.round(Math.log2(settings.maxBatch.value))}
          disabled={comparing}
          onChange={({ currentTarget }) => (settings.maxBatch.value = 2 ** currentTarget.valueAsNumber)}
        />
      </Field>
      <Field
        id="pressure"
        label="Other work per frame"
        value={`${settings.pressureMs.value} ms`}
        help="Blocks this page, as a busy application would."
      >
        <input
          id="pressure"
          type="range"
          min={0}
          max={MAX_PRESSURE_MS}
          step={2}
          data-testid="pressure"
          aria-describedby="pressure-help"
          aria-valuetext={`${settings.pressureMs.value} milliseconds`}
          value={settings.pressureMs}
          disabled={comparing}
          onInput={({ currentTarget }) => (settings.pressureMs.value = currentTarget.valueAsNumber)}
        />
      </Field>
    </section>
  );
}

interface FieldProps {
  /** The id of the control. */
  readonly id: string;
  readonly label: string;
  readonly value?: string | number;
  /** What the setting does, in a sentence. */
  readonly help: string;
  readonly children: ComponentChildren;
}

function Field({ id, label, value, help, children }: FieldProps) {
  return (
    <div class="policy-field">
      <label class="policy-label" for={id}>
        {label}
        {value === undefined ? null : <span class="policy-value">{value}</span>}
      </label>
      {children}
      <p class="policy-help" id={`${id}-help`}>
        {help}
      </p>
    </div>
  );
}

interface ChoiceProps<Word extends string> {
  readonly id: string;
  readonly words: readonly Word[];
  readonly labels: Readonly<Record<Word, string>>;
  readonly value: Signal<Word>;
  readonly isDisabled: boolean;
}

function Choice<Word extends string>({ id, words, labels, value, isDisabled }: ChoiceProps<Word>) {
  const choose = (chosen: string): void => {
    const word = words.find((candidate) => candidate === chosen);
    if (word !== undefined) value.value = word;
  };
  return (
    <select
      id={id}
      class="select"
      data-testid={id}
      aria-describedby={`${id}-help`}
      value={value.value}
      disabled={isDisabled}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {words.map((word) => (
        <option key={word} value={word}>
          {labels[word]}
        </option>
      ))}
    </select>
  );
}
