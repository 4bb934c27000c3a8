import { SCENES } from "../scenes/scene-list.js";
import { SCENE_NAMES } from "../scenes/scene-names.js";
import type { Settings } from "../settings.js";
import { SceneLink } from "./scene-link.js";

/** Links to the scenes. */
export function SceneTabs({ settings }: { settings: Settings }) {
  return (
    <nav class="tabs" aria-label="Scenes">
      {SCENE_NAMES.map((name) => (
        <SceneLink key={name} settings={settings} name={name} class="tab" testId={`scene-${name}`}>
          {SCENES[name].label}
        </SceneLink>
      ))}
    </nav>
  );
}
