import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** The error of a request that a baseline sheds. */
export const SHED = new FramebatchError("OVERLOADED", "the request cannot meet its objective; try again later");
