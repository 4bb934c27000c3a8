import path from "node:path";
import { root } from "./workspace.mjs";

const SITE = path.join(root, "apps", "site", "dist");

/** The built site: the playground, its documentation and the examples, as a deployed site serves them. */
export const PLAYGROUND_SITE = {
  folders: { "/": SITE },
  notFound: path.join(SITE, "404.html"),
  compresses: true,
  // The playground's assets have a digest in their names.
  lasting: "/assets/",
};
