import { useEffect, useMemo } from "preact/hooks";
import { ComparisonRun } from "./comparison/comparison-run.js";
import { Evidence } from "./comparison/evidence.js";
import { SharedCard } from "./comparison/shared-card.js";
import { VerdictCard } from "./comparison/verdict-card.js";
import { PolicyBar } from "./controls/policy-bar.js";
import { Instruments } from "./instruments/instruments.js";
import type { Playground } from "./playground.js";
import type { Scene } from "./scenes/scene.js";
import { SweepCard } from "./recommend/sweep-card.js";
import { SweepRun } from "./recommend/sweep-run.js";
import { DropAnywhere } from "./shell/drop-anywhere.js";
import { Problem } from "./shell/problem.js";
import { SceneTabs } from "./shell/scene-tabs.js";
import { ThemeToggle } from "./shell/theme-toggle.js";

const REPOSITORY = "https://github.com/framebatch/framebatch";
const LINKS = {
  repository: REPOSITORY,
  readme: `${REPOSITORY}#readme`,
  npm: "https://www.npmjs.com/package/framebatch",
  license: `${REPOSITORY}/blob/main/LICENSE`,
} as const;

/** The page: header, the verdict, the scene, the instruments, the evidence, and links. */
export function App({ playground }: { playground: Playground }) {
  return (
    <>
      <header class="masthead">
        <p class="wordmark">
          <Mark />
          framebatch <span>playground</span>
        </p>
        <SceneTabs settings={playground.settings} />
        <a class="masthead-link" href={LINKS.repository}>
          GitHub
        </a>
        <ThemeToggle choice={playground.theme} />
      </header>
      <DropAnywhere playground={playground} />
      <main>
        <CurrentScene playground={playground} />
      </main>
      <footer class="foot">
        <nav aria-label="framebatch">
          <a href={LINKS.readme}>README</a>
          <a href={LINKS.repository}>Repository</a>
          <a href={LINKS.npm}>npm</a>
          <a href="./docs/">Documentation</a>
          <a href={LINKS.license}>Apache-2.0 license</a>
        </nav>
      </footer>
    </>
  );
}

function CurrentScene({ playground }: { playground: Playground }) {
  const scene = playground.scene.value;
  useTitle(scene?.title);
  if (scene === null) return <Problem playground={playground} />;
  return <OpenedScene key={playground.settings.scene.peek()} playground={playground} scene={scene} />;
}

function OpenedScene({ playground, scene }: { playground: Playground; scene: Scene }) {
  const run = useMemo(() => new ComparisonRun(playground, scene), [playground, scene]);
  const sweep = useMemo(() => new SweepRun(playground, scene), [playground, scene]);
  useEffect(() => () => run.dispose(), [run]);
  useEffect(() => () => sweep.stop(), [sweep]);
  const { Stage } = scene;
  return (
    <>
      <div class="lead">
        <h1>{scene.title}</h1>
        <p>{scene.lead}</p>
      </div>
      <Problem playground={playground} />
      <div class="verdicts">
        <VerdictCard run={run} />
        <SharedCard settings={playground.settings} />
      </div>
      <Stage />
      <PolicyBar playground={playground} caller={scene.callers.one} />
      <SweepCard run={sweep} />
      <Instruments playground={playground} />
      <Evidence run={run} />
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
