import { closedLoop } from "../loads/closed-loop.js";
import type { Load } from "../loads/load.js";
import { pause } from "../loads/pause.js";
import type { Stage } from "./stage.js";

/**
 * `count` widgets that each call on their own and show their answers: `widgets-N` calls again about a frame after its
 * answer, at a random time, and `closed-N` at once.
 * @throws if there is no load of this name
 */
export function widgetsLoad(name: string, stage: Stage): Load {
  const [, kind, count] = /^(widgets|closed)-(\d+)$/.exec(name) ?? [];
  if (count === undefined) throw new Error(`There is no load ${name} of widgets.`);
  return closedLoop(Number(count), name, (widget, random) => {
    stage.show(widget);
    return kind === "widgets" ? pause(random) : undefined;
  });
}
