// Every line of text asks the model on its own. framebatch runs the requests of all components as one batch.
import languagesUrl from "@framebatch/models/languages.onnx?url";
import { encodeText, rankLanguages } from "@framebatch/models/languages";
import { createBatchedModel } from "framebatch";
import { StrictMode, Suspense, use, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import type { Languages } from "../shared/languages-model.js";
import { lines } from "../shared/lines.js";
import { usePrediction } from "./use-prediction.js";

/** One model for the whole page. It starts to load before the first component renders. */
const loading = createBatchedModel<Languages>(languagesUrl, { padding: { ids: { mask: "mask" } } });

function Language({ text }: { text: string }) {
  const model = use(loading);
  const item = useMemo(() => (/\p{L}/u.test(text) ? encodeText(text) : null), [text]);
  const { outputs, error } = usePrediction(model, item);
  if (error !== undefined) return <strong>{error.message}</strong>;
  return <strong>{outputs && rankLanguages(outputs.logits.data)[0]?.language.name}</strong>;
}

function App() {
  const [text, setText] = useState("Das ist ein ganz gewöhnlicher deutscher Satz.");
  return (
    <Suspense fallback="Loading the model …">
      <h2>Which language is it?</h2>
      <textarea aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
      <p role="status">
        <Language text={text} />
      </p>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            {line} <Language text={line} />
          </li>
        ))}
      </ul>
    </Suspense>
  );
}

const root = document.getElementById("app");
if (root === null) throw new Error("expected an element #app, got none");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
