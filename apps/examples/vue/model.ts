import languagesUrl from "@framebatch/models/languages.onnx?url";
import { createBatchedModel } from "framebatch";

/** One model for the whole page. Components await it in `<script setup>`. */
export const languageModel = createBatchedModel(languagesUrl, { padding: { ids: { mask: "mask" } } });
