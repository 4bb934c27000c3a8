import languagesUrl from "@framebatch/models/languages.onnx?url";
import { createBatchedModel } from "framebatch";
import { mount } from "svelte";
import type { Languages } from "../shared/languages-model.js";
import App from "./App.svelte";

const target = document.getElementById("app");
if (target === null) throw new Error("expected an element #app, got none");
const loading = createBatchedModel<Languages>(languagesUrl, { padding: { ids: { mask: "mask" } } });
mount(App, { target, props: { loading } });
