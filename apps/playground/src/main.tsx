import { render } from "preact";
import { App } from "./app.js";
import { nextTask } from "./next-task.js";
import { Playground } from "./playground.js";
import { SCENES } from "./scenes/scene-list.js";
import { Settings } from "./settings.js";
import { keepFocus } from "./shell/keep-focus.js";
import { ThemeChoice } from "./theme.js";
import { workOffline } from "./work-offline.js";

const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
const playground = new Playground(
  new Settings(location.search, prefersReducedMotion),
  new ThemeChoice(),
  workOffline(),
  (name) => SCENES[name].load(),
);
await nextTask();
const root = document.querySelector<HTMLElement>("#app");
if (root !== null) {
  keepFocus(root);
  render(<App playground={playground} />, root);
}
