import { useEffect, useMemo } from "preact/hooks";
import { ComparisonRun } from "./comparison/comparison-run.js";
import { Evidence } from "./evidence/evidence.js";
import { SharedCard } from "./verdict/shared-card.js";
import { VerdictCard } from "./verdict/verdict-card.js";
import { PolicyBar } from "./controls/policy-bar.js";
import { Instruments } from "./instruments/instruments.js";
import type { Playground } from "./playground.js";
import { SCENES } from "./scenes/scene-list.js";
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
        <nav class="masthead-links" aria-label="About framebatch">
          <a href="./docs/">Docs</a>
          <a href={LINKS.repository}>GitHub</a>
        </nav>
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

/** The texts of the scene, and the rest when its code has loaded. */
function CurrentScene({ playground }: { playground: Playground }) {
  const name = playground.settings.scene.value;
  const scene = playground.scene.value;
  const { title, lead } = SCENES[name];
  useTitle(title);
  return (
    <>
      <div class="lead">
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      <Problem playground={playground} />
      {scene === null ? null : <OpenedScene key={name} playground={playground} scene={scene} />}
    </>
  );
}

function OpenedScene({ playground, scene }: { playground: Playground; scene: Scene }) {
  const run = useMemo(() => new ComparisonRun(playground, scene), [playground, scene]);
  const sweep = useMemo(() => new SweepRun(playground, scene), [playground, scene]);
  useEffect(() => () => run.dispose(), [run]);
  useEffect(() => () => sweep.stop(), [sweep]);
  const { Stage } = scene;
  return (
    <>
      <div class="verdicts">
        <VerdictCard run={run} />
        <SharedCard settings={playground.settings} />
      </div>
      <Stage />
      <PolicyBar playground={playground} caller={scene.callers.one} />
      <SweepCard run={sweep} />
      {scene.hasOwnWorkers === true ? null : <Instruments playground={playground} />}
      <Evidence run={run} />
    </>
  );
}

/** Sets a title per scene for the browser tab and the history. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · framebatch playground`;
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
