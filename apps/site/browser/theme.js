const KEY = "framebatch-theme";

/** Lets the reader choose the theme, which the playground and all tabs share. */
export function offerThemes() {
  show(document.documentElement.dataset["theme"] ?? "system");
  for (const input of inputs()) input.addEventListener("change", () => choose(input.value));
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY) show(newValue ?? "system");
  });
}

/** @returns {NodeListOf<HTMLInputElement>} */
function inputs() {
  return document.querySelectorAll('input[name="theme"]');
}

/** @param {string} theme */
function show(theme) {
  document.documentElement.dataset["theme"] = theme;
  for (const input of inputs()) input.checked = input.value === theme;
}

/** @param {string} theme */
function choose(theme) {
  show(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be blocked. The choice then lasts until the page closes.
  }
}
