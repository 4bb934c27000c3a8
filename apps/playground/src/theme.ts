import { computed, effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** The page's colours for canvases, which cannot read CSS custom properties. */
export interface CanvasColours {
  readonly ink: Colour;
  readonly muted: Colour;
  readonly line: Colour;
  readonly edge: Colour;
  readonly accent: Colour;
  readonly differs: Colour;
}

/** The same colours as CSS strings. */
export type CssColours = { readonly [Name in keyof CanvasColours]: string };

const STORAGE_KEY = "framebatch-theme";

/** The theme. It follows the system until the visitor chooses one, here or in another tab. */
export class ThemeChoice {
  readonly theme = signal<Theme>(themeOf(document.documentElement.dataset["theme"]));
  readonly colours = signal<CanvasColours>(readColours());
  readonly css = computed(() => toCssColours(this.colours.value));
  readonly #systemIsDark = signal(false);

  readonly isDark = computed(() =>
    this.theme.value === "system" ? this.#systemIsDark.value : this.theme.value === "dark",
  );

  constructor() {
    const query = matchMedia("(prefers-color-scheme: dark)");
    this.#systemIsDark.value = query.matches;
    query.addEventListener("change", () => (this.#systemIsDark.value = query.matches));
    effect(() => void (document.documentElement.dataset["theme"] = this.theme.value));
    this.isDark.subscribe(() => (this.colours.value = readColours()));
    addEventListener("storage", ({ key, newValue }) => {
      // It is not stored again, so that tabs do not answer each other.
      if (key === STORAGE_KEY) this.theme.value = themeOf(newValue);
    });
  }

  /** Chooses a theme for this tab, the other ones and later visits. */
  choose(theme: Theme): void {
    this.theme.value = theme;
    try {
      localStorage.setItem(STORAGE_KEY, theme);
    } catch {
      // Storage may be blocked. The choice then lasts until the page closes.
    }
  }
}

function toCssColours(colours: CanvasColours): CssColours {
  const css = (colour: Colour): string => `rgb(${colour.join(" ")})`;
  const { ink, muted, line, edge, accent, differs } = colours;
  return {
    ink: css(ink),
    muted: css(muted),
    line: css(line),
    edge: css(edge),
    accent: css(accent),
    differs: css(differs),
  };
}

function themeOf(stored: string | null | undefined): Theme {
  return THEMES.find((theme) => theme === stored) ?? "system";
}

function readColours(): CanvasColours {
  const probe = document.createElement("span");
  // Canvases keep the meaning of their colours where a browser forces those of elements.
  probe.style.forcedColorAdjust = "none";
  document.body.append(probe);
  const read = (token: string): Colour => {
    probe.style.color = `var(${token})`;
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue];
  };
  const colours = {
    ink: read("--ink"),
    muted: read("--muted"),
    line: read("--line"),
    edge: read("--edge"),
    accent: read("--accent"),
    differs: read("--differs"),
  };
  probe.remove();
  return colours;
}
