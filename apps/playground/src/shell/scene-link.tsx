import type { ComponentChildren } from "preact";
import type { SceneName } from "../scenes/scene-names.js";
import type { Settings } from "../settings.js";

interface SceneLinkProps {
  readonly settings: Settings;
  readonly name: SceneName;
  readonly class: string;
  readonly testId: string;
  readonly children: ComponentChildren;
}

/** Links to a scene, and keeps the current settings. It is marked if the scene is open. */
export function SceneLink({ settings, name, class: className, testId, children }: SceneLinkProps) {
  return (
    <a
      class={className}
      href={settings.addressOf(name)}
      aria-current={settings.scene.value === name ? "page" : undefined}
      data-testid={testId}
      onClick={(event) => follow(event, settings, name)}
    >
      {children}
    </a>
  );
}

/** Leaves clicks that open another tab or window to the browser. */
function follow(event: MouseEvent, settings: Settings, name: SceneName): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  settings.goTo(name);
}
