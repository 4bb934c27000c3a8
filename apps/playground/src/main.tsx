import { render } from "preact";
import { App } from "./app.js";
import { nextTask } from "./next-task.js";
import { Playground } from "./playground.js";
import { SCENES } from "./scenes/scene-list.js";
import { Settings } from "./settings.js";
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
const root = document.querySelector("#app");
if (root !== null) render(<App playground={playground} />, root);
