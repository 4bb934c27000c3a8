import languagesUrl from "@framebatch/models/languages.onnx?url";
import { createBatchedModel } from "framebatch";
import type { Languages } from "../shared/languages-model.js";

/** One model for the whole page. Components await it in `<script setup>`. */
export const languageModel = createBatchedModel<Languages>(languagesUrl, { padding: { ids: { mask: "mask" } } });
