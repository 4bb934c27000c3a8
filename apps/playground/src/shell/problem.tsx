import type { Playground } from "../playground.js";
import { explainError } from "./explain-error.js";

/** Explains why the page cannot predict, and how to fix it. Renders nothing if there is no error. */
export function Problem({ playground }: { playground: Playground }) {
  const state = playground.lane.value?.state.value;
  const error = state?.phase === "failed" ? state.error : playground.failure.value;
  if (error === null) return null;
  const { what, guess, advice, details, isAboutFile } = explainError(
    error,
    playground.settings.scene.value === "model",
  );
  // The same bytes fail again.
  const remedy = isAboutFile ? playground.scene.value?.fileRemedy?.value : null;
  return (
    <div class="problem" role="alert" data-testid="error">
      <div>
        <p class="problem-what">
          {what} {remedy?.note || guess}
        </p>
        <p>{advice}</p>
        <details>
          <summary>Technical details</summary>
          <p class="problem-details">{details}</p>
        </details>
      </div>
      {remedy ? (
        <button type="button" class="button" data-testid="choose-other" onClick={remedy.chooseOther}>
          Choose another file
        </button>
      ) : (
        <button type="button" class="button" onClick={() => playground.retry()}>
          Try again
        </button>
      )}
    </div>
  );
}
