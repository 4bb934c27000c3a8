import type { Playground } from "./playground.js";
import { DigitsScene } from "./scenes/digits/digits-scene.js";
import { Problem } from "./shell/problem.js";
import { ThemeToggle } from "./shell/theme-toggle.js";

/** The page: its head, whatever is wrong, and the scene. */
export function App({ playground }: { playground: Playground }) {
  return (
    <>
      <header class="masthead">
        <p class="wordmark">
          <Mark />
          framebatch <span>playground</span>
        </p>
        <ThemeToggle choice={playground.theme} />
      </header>
      <main>
        <div class="lead">
          <h1>Draw a digit. Every tile asks the model for itself.</h1>
          <p>
            Each tile calls <code>model.predict()</code> on its own, knowing nothing of the others. framebatch gathers
            the calls of a frame and runs them as one. Switch batching off, and feel the difference.
          </p>
        </div>
        <Problem playground={playground} />
        <DigitsScene playground={playground} />
      </main>
    </>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 10h16M8 16h16M8 22h9" />
    </svg>
  );
}
