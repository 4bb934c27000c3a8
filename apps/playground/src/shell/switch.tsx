import type { ReadonlySignal, Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface SwitchProps {
  readonly isOn: Signal<boolean>;
  readonly isDisabled: ReadonlySignal<boolean>;
  readonly testId: string;
  readonly children: ComponentChildren;
}

/** A switch for a setting that is on or off. */
export function Switch({ isOn, isDisabled, testId, children }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        data-testid={testId}
        checked={isOn}
        disabled={isDisabled}
        onChange={({ currentTarget }) => (isOn.value = currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}
