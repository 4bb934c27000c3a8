import type { ReadonlySignal, Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Switch } from "../../shell/switch.js";
import { BackendNote } from "./backend-note.js";
import { CountSlider } from "./count-slider.js";
import type { Counts } from "./counts.js";
import { LANES, SidePanel, WorldCanvas, type SideFigure } from "./side-panel.js";
import type { TwoWorlds } from "./two-worlds.js";

interface WorldsStageProps<Settings, Figures, Recent> {
  readonly worlds: TwoWorlds<Settings, Figures, Recent>;
  /** The name of the scene, which ids begin with. */
  readonly scene: string;
  /** What a canvas shows, in words. */
  readonly picture: string;
  readonly figures: readonly SideFigure<Recent>[];
  /** The name of one caller, for example "car". */
  readonly caller: string;
  readonly counts: Counts;
  readonly count: Signal<number>;
  /** What it means that a side carries its callers, for example "At 60 frames a second". */
  readonly standard: ReadonlySignal<string>;
  /** What else can be changed. */
  readonly controls: ComponentChildren;
  readonly legend?: ComponentChildren;
  /** What there is to say about both worlds. */
  readonly children: ComponentChildren;
}

/** Two worlds side by side, and below them what changes both. */
export function WorldsStage<Settings, Figures, Recent>({
  worlds: { motion, sides, limits, playground },
  ...props
}: WorldsStageProps<Settings, Figures, Recent>) {
  const { scene, picture, figures, caller, counts, count, standard, controls, legend, children } = props;
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => (stage.current === null ? undefined : motion.watch(stage.current)), [motion]);
  const { settings, comparing } = playground;
  return (
    <div class="worlds" ref={stage}>
      {LANES.map((lane) => (
        <SidePanel key={lane} scene={scene} lane={lane} side={sides[lane]} figures={figures}>
          <WorldCanvas side={sides[lane]} picture={picture} testId={`${scene}-world-${lane}`} />
        </SidePanel>
      ))}
      <div class="world-controls">
        <CountSlider
          caller={caller}
          counts={counts}
          value={count}
          isDisabled={comparing}
          limits={limits}
          standard={standard}
        />
        <div class="world-switches">
          {controls}
          <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
            Keep moving
          </Switch>
        </div>
        {legend}
        <BackendNote sides={sides}>{children}</BackendNote>
      </div>
    </div>
  );
}
