const KEY = "framebatch-theme";

/** Lets the reader choose the theme, which the playground shares. */
export function offerThemes() {
  const chosen = document.documentElement.dataset["theme"] ?? "system";
  for (const input of document.querySelectorAll('input[name="theme"]')) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.checked = input.value === chosen;
    input.addEventListener("change", () => choose(input.value));
  }
}

/** @param {string} theme */
function choose(theme) {
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be blocked. The choice then lasts until the page closes.
  }
}
