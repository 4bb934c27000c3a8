import { THEMES, type Theme, type ThemeChoice } from "../theme.js";

const LABELS: Readonly<Record<Theme, string>> = { system: "Auto", light: "Light", dark: "Dark" };

/** Selects the theme: light, dark, or the system's. */
export function ThemeToggle({ choice }: { choice: ThemeChoice }) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map((theme) => (
        <label key={theme} class="segment">
          <input
            type="radio"
            name="theme"
            value={theme}
            checked={choice.theme.value === theme}
            onChange={() => choice.choose(theme)}
          />
          <span>{LABELS[theme]}</span>
        </label>
      ))}
    </fieldset>
  );
}
