import digitsModel from "@framebatch/models/digits.onnx?url";
import { render } from "preact";
import { App } from "./app.js";
import { Playground } from "./playground.js";
import { Settings } from "./settings.js";
import { ThemeChoice } from "./theme.js";

const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
const settings = new Settings(location.search, prefersReducedMotion);
const playground = new Playground(settings, new ThemeChoice(), digitsModel);
const root = document.querySelector("#app");
if (root !== null) render(<App playground={playground} />, root);
