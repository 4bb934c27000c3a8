import { useSignal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Measured } from "../comparison/measured.js";
import { RaceView } from "../evidence/race-view.js";
import { comparisonReport } from "../evidence/report.js";
import { describeImage, drawResult } from "../evidence/result-image.js";
import type { Playground } from "../playground.js";
import { CodeBlock } from "../shell/code-block.js";
import { CopyButton } from "../shell/copy-button.js";
import { saveJson, saveUrl } from "../shell/save-file.js";
import type { ThemeChoice } from "../theme.js";

const PANELS = { code: "Code", race: "Race", image: "Image" } as const;
type Panel = keyof typeof PANELS;

/** What the visitor takes along from a result: a link, the code, the race, an image and a report. */
export function Takeaways({ measured, playground }: { measured: Measured; playground: Playground }) {
  const open = useSignal<Panel | null>(null);
  return (
    <div class="takeaways">
      <div class="takeaway-actions">
        <CopyButton label="Copy link" text={() => measured.link} testId="copy-link" />
        <PanelButton open={open} panel="code" />
        <PanelButton open={open} panel="race" />
        <PanelButton open={open} panel="image" />
        <button
          type="button"
          class="button"
          data-testid="report"
          onClick={() => saveJson("framebatch-comparison.json", comparisonReport(measured, navigator.userAgent))}
        >
          Report
        </button>
      </div>
      <div id="takeaway-panel">
        {open.value === "code" ? <CodePanel snippet={measured.snippet} /> : null}
        {open.value === "race" ? <RaceView race={measured.comparison.race} playground={playground} /> : null}
        {open.value === "image" ? <ImagePanel measured={measured} theme={playground.theme} /> : null}
      </div>
    </div>
  );
}

/** Opens a panel in place of the one that is open, or closes it. */
function PanelButton({ open, panel }: { open: Signal<Panel | null>; panel: Panel }) {
  const isOpen = open.value === panel;
  return (
    <button
      type="button"
      class="button"
      data-testid={`show-${panel}`}
      aria-expanded={isOpen}
      aria-controls="takeaway-panel"
      onClick={() => (open.value = isOpen ? null : panel)}
    >
      {PANELS[panel]}
    </button>
  );
}

/** The code that follows the answer. */
export function CodePanel({ snippet }: { snippet: string }) {
  return (
    <div class="takeaway">
      <CodeBlock code={snippet} label="The same as code" testId="snippet" />
      <div class="takeaway-actions">
        <CopyButton label="Copy the code" text={() => snippet} testId="copy" />
      </div>
    </div>
  );
}

function ImagePanel({ measured, theme }: { measured: Measured; theme: ThemeChoice }) {
  const isDark = theme.isDark.value;
  const url = useMemo(() => drawResult(measured, theme), [measured, isDark]);
  return (
    <div class="takeaway">
      <img
        class="result-image"
        data-testid="result-image"
        src={url}
        width={1200}
        height={630}
        alt={describeImage(measured)}
      />
      <div class="takeaway-actions">
        <button
          type="button"
          class="button"
          data-testid="save-image"
          onClick={() => saveUrl("framebatch-result.png", url)}
        >
          Save the image
        </button>
      </div>
    </div>
  );
}
