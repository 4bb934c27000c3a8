import type { ModelSource } from "framebatch";
import { useMemo } from "preact/hooks";
import type { Comparison } from "../measure/compare.js";
import { describeRange, findingOf } from "../measure/verdict.js";
import type { Playground } from "../playground.js";
import { CopyButton } from "../shell/copy-button.js";
import { saveFile } from "../shell/save-file.js";
import { optionsSnippet } from "./options-snippet.js";
import { comparisonReport } from "./report.js";

/** The options as code, and a report to download. */
export function Takeaway({ comparison, playground }: { comparison: Comparison; playground: Playground }) {
  const context = useMemo(() => contextOf(playground), [comparison]);
  const ownOptions = playground.scene.value?.model.value?.ownOptions ?? [];
  const snippet = optionsSnippet(context.model, context.options, findingOf(comparison), ownOptions);
  return (
    <div class="takeaway">
      <p class="takeaway-range">
        Throughput with batching relative to without: {describeRange(comparison)} (95 % confidence interval).
      </p>
      <pre class="snippet" tabIndex={0} aria-label="Options as code">
        <code data-testid="snippet">{snippet}</code>
      </pre>
      <div class="takeaway-actions">
        <CopyButton label="Copy the code" text={() => snippet} testId="copy" />
        <button
          type="button"
          class="button"
          data-testid="report"
          onClick={() => saveFile("framebatch-comparison.json", comparisonReport(comparison, context))}
        >
          Download the report
        </button>
      </div>
    </div>
  );
}

/** The settings at the end of the comparison, since the visitor may change them afterwards. */
function contextOf(playground: Playground) {
  const model = playground.scene.peek()?.model.peek() ?? null;
  return {
    atIso: new Date().toISOString(),
    page: location.href,
    userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    model: model === null ? "" : nameOf(model.source),
    options: { ...model?.options, ...playground.settings.modelOptions.peek() },
  };
}

function withoutOwnOrigin(address: string | URL): string {
  const url = new URL(address, location.href);
  return url.origin === location.origin ? url.pathname + url.search : url.href;
}

function nameOf(source: ModelSource): string {
  if (typeof source === "string" || source instanceof URL) return withoutOwnOrigin(source);
  return source instanceof File ? `/models/${source.name}` : "/models/yours.onnx";
}
