const PEOPLE = ["my cat", "the dog", "a train", "the bread", "an old house", "the soup", "one child", "the boat"];
const ACTIONS = ["sat", "ran", "was late", "came home", "slept", "waited", "is warm", "looks small"];
const PLACES = ["on the mat", "in the snow", "at the station", "for tomorrow", "by the door", "under a tree"];

/** Short notes, all different. */
export const notes: readonly string[] = Array.from({ length: 2000 }, (_, number) => {
  const pick = (list: readonly string[], step: number) => list[Math.floor(number / step) % list.length];
  return `${pick(PEOPLE, 1)} ${pick(ACTIONS, 8)} ${pick(PLACES, 64)} (${number})`;
});
