import { useEffect } from "preact/hooks";
import { ComparisonPanel } from "./comparison/comparison-panel.js";
import { PolicyBar } from "./controls/policy-bar.js";
import { Instruments } from "./instruments/instruments.js";
import type { Playground } from "./playground.js";
import { Problem } from "./shell/problem.js";
import { SceneTabs } from "./shell/scene-tabs.js";
import { ThemeToggle } from "./shell/theme-toggle.js";

/** The page: header, errors, the scene, the instruments, the comparison, and the way to the documentation. */
export function App({ playground }: { playground: Playground }) {
  return (
    <>
      <header class="masthead">
        <p class="wordmark">
          <Mark />
          framebatch <span>playground</span>
        </p>
        <SceneTabs settings={playground.settings} />
        <ThemeToggle choice={playground.theme} />
      </header>
      <main>
        <Scene playground={playground} />
      </main>
      <footer class="foot">
        <a href="./docs/">Documentation</a>
      </footer>
    </>
  );
}

function Scene({ playground }: { playground: Playground }) {
  const scene = playground.scene.value;
  useTitle(scene?.title);
  if (scene === null) return <Problem playground={playground} />;
  const { Stage } = scene;
  return (
    <>
      <div class="lead">
        <h1>{scene.title}</h1>
        <p>{scene.lead}</p>
      </div>
      <Problem playground={playground} />
      <Stage />
      <PolicyBar playground={playground} caller={scene.callers.one} />
      <Instruments playground={playground} />
      <ComparisonPanel key={playground.settings.scene.value} playground={playground} scene={scene} />
    </>
  );
}

/** Sets a title per scene for the browser tab and the history. */
function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · framebatch playground`;
  }, [title]);
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 10h16M8 16h16M8 22h9" />
    </svg>
  );
}
