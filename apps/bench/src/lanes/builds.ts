import { openModel, type Create } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** The address under which the runner serves the files of each build. */
const FOLDER = "/builds/";

/** Returns the lane `frame@NAME`: the lane `frame` with the build of framebatch that the runner serves by this name. */
export function laneOfBuild(name: string): Lane {
  const build = name.slice(name.indexOf("@") + 1);
  return {
    name,
    async open(model, backend) {
      const { createBatchedModel } = await importBuild(build);
      return openModel(model, { executionProviders: [backend], batching: { release: "frame" } }, createBatchedModel);
    },
  };
}

/** Whether a lane runs another build than that of the page. */
export function isOfBuild(name: string): boolean {
  return name.includes("@");
}

async function importBuild(build: string): Promise<{ readonly createBatchedModel: Create }> {
  const url = new URL(`${FOLDER}${encodeURIComponent(build)}/framebatch.js`, location.href);
  return import(/* @vite-ignore */ url.href);
}
