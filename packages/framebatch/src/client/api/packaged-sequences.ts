// One file for both: what they share is most of their code.
export { withHandledSequences } from "../../handlers/page/handled-sequences.js";
export { withSequences } from "../../sequences/page/sequence-items.js";
