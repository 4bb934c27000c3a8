import { SCENE_NAMES, SCENES, type SceneName } from "../scenes/scene-list.js";
import type { Settings } from "../settings.js";

/** Links to the scenes. Each link keeps the current settings. */
export function SceneTabs({ settings }: { settings: Settings }) {
  return (
    <nav class="tabs" aria-label="Scenes">
      {SCENE_NAMES.map((name) => (
        <a
          key={name}
          class="tab"
          href={settings.addressOf(name)}
          aria-current={settings.scene.value === name ? "page" : undefined}
          data-testid={`scene-${name}`}
          onClick={(event) => follow(event, settings, name)}
        >
          {SCENES[name].label}
        </a>
      ))}
    </nav>
  );
}

/** Leaves clicks that open another tab or window to the browser. */
function follow(event: MouseEvent, settings: Settings, name: SceneName): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  settings.goTo(name);
}
