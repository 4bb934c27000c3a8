import { useEffect, useMemo } from "preact/hooks";
import { isPublic, npm, repository } from "virtual:publication";
import { ComparisonRun } from "./comparison/comparison-run.js";
import { Evidence } from "./evidence/evidence.js";
import { SharedCard } from "./verdict/shared-card.js";
import { VerdictCard } from "./verdict/verdict-card.js";
import { PolicyBar } from "./controls/policy-bar.js";
import { Instruments } from "./instruments/instruments.js";
import type { Playground } from "./playground.js";
import { SCENES } from "./scenes/scene-list.js";
import { Opponents } from "./opponents/opponents.js";
import { SweepCard } from "./recommend/sweep-card.js";
import { SweepRun } from "./recommend/sweep-run.js";
import { DropAnywhere } from "./shell/drop-anywhere.js";
import { Problem } from "./shell/problem.js";
import { SceneTabs } from "./shell/scene-tabs.js";
import { ThemeToggle } from "./shell/theme-toggle.js";

/** The page: header, the verdict, the scene, the evidence, the instruments, and links. */
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
          {isPublic ? <a href={repository}>GitHub</a> : null}
        </nav>
        <ThemeToggle choice={playground.theme} />
      </header>
      <DropAnywhere playground={playground} />
      <main>
        <CurrentScene playground={playground} />
      </main>
      <footer class="foot">
        <nav aria-label="framebatch">
          <a href="./docs/">Documentation</a>
          {isPublic ? <PublicLinks /> : null}
        </nav>
      </footer>
    </>
  );
}

/** Where the repository and the package are, once they can be reached. */
function PublicLinks() {
  return (
    <>
      <a href={`${repository}#readme`}>README</a>
      <a href={repository}>Repository</a>
      <a href={npm}>npm</a>
      <a href={`${repository}/blob/main/LICENSE`}>Apache-2.0 license</a>
    </>
  );
}

/** The result of a link above all else, the texts of the scene, and the rest when its code has loaded. */
function CurrentScene({ playground }: { playground: Playground }) {
  const name = playground.settings.scene.value;
  const scene = playground.scene.value;
  const run = useMemo(() => (scene === null ? null : new ComparisonRun(playground, scene)), [playground, scene]);
  useEffect(() => () => run?.dispose(), [run]);
  const { title, lead } = SCENES[name];
  useTitle(title);
  return (
    <>
      <SharedCard settings={playground.settings} run={run} />
      <div class="lead">
        <h1>{title}</h1>
        <p>{lead}</p>
      </div>
      <Problem playground={playground} />
      {run === null ? null : <OpenedScene key={name} run={run} />}
    </>
  );
}

function OpenedScene({ run }: { run: ComparisonRun }) {
  const { playground, scene } = run;
  const sweep = useMemo(() => new SweepRun(playground, scene), [playground, scene]);
  useEffect(() => () => sweep.stop(), [sweep]);
  const { Stage } = scene;
  return (
    <>
      <VerdictCard run={run} />
      <Stage />
      <PolicyBar playground={playground} caller={scene.callers.one} />
      <Evidence run={run} />
      <SweepCard run={sweep} />
      <Opponents />
      {scene.showsBothWays === true ? null : <Instruments playground={playground} />}
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
