import path from "node:path";
import { root } from "./workspace.mjs";

/** The built playground with its documentation and the examples, as a deployed site serves them. */
export const PLAYGROUND_SITE = {
  folders: {
    "/": path.join(root, "apps", "playground", "dist"),
    "/examples/": path.join(root, "apps", "examples", "dist"),
    // What the example without a bundler needs.
    "/examples/framebatch/": path.join(root, "packages", "framebatch", "dist"),
    "/examples/models/": path.join(root, "models", "digits"),
  },
  compresses: true,
  // The playground's assets have a digest in their names.
  lasting: "/assets/",
};
