/** What can see, hear and paint. All nouns are of the gender that has "de", and none begins with a vowel, which would make "a" "an". */
export const BEINGS = {
  cat: "kat",
  dog: "hond",
  fox: "vos",
  bear: "beer",
  mouse: "muis",
  bird: "vogel",
  king: "koning",
  baker: "bakker",
  farmer: "boer",
  painter: "schilder",
  doctor: "dokter",
  teacher: "leraar",
  neighbour: "buurman",
  sailor: "matroos",
};

export const THINGS = {
  letter: "brief",
  key: "sleutel",
  flower: "bloem",
  soup: "soep",
  bicycle: "fiets",
  chair: "stoel",
  cheese: "kaas",
  coat: "jas",
  boat: "boot",
  map: "kaart",
};

export const PLACES = {
  river: "rivier",
  bridge: "brug",
  church: "kerk",
  garden: "tuin",
  kitchen: "keuken",
  tree: "boom",
  mountain: "berg",
  harbour: "haven",
};

export const VERBS = {
  sees: "ziet",
  hears: "hoort",
  finds: "vindt",
  seeks: "zoekt",
  paints: "schildert",
  buys: "koopt",
  forgets: "vergeet",
  follows: "volgt",
  carries: "draagt",
  washes: "wast",
  chooses: "kiest",
};

export const ADJECTIVES = {
  small: "kleine",
  big: "grote",
  young: "jonge",
  red: "rode",
  green: "groene",
  white: "witte",
  black: "zwarte",
  quiet: "stille",
  cheerful: "vrolijke",
  strange: "vreemde",
  new: "nieuwe",
};

export const PREPOSITIONS = { near: "bij", behind: "achter", under: "onder", beside: "naast" };
export const CONJUNCTIONS = { and: "en", but: "maar" };
export const ARTICLES = { the: "de", a: "een" };

/** English words with what they are in Dutch, which has the words of these sentences in the same order. @type {[string, string][]} */
const WORDS = [BEINGS, THINGS, PLACES, VERBS, ADJECTIVES, PREPOSITIONS, CONJUNCTIONS, ARTICLES].flatMap((words) =>
  Object.entries(words),
);

/** Number of words in each language. */
export const COUNT = WORDS.length;

/** The full stop, which ends a sentence in both languages. */
export const STOP = 0;

/** All tokens: the full stop, the English words, the Dutch words. */
export const TOKENS = Object.freeze([".", ...WORDS.map(([english]) => english), ...WORDS.map(([, dutch]) => dutch)]);

/** Returns the tokens of an English sentence, in place of a tokenizer. @param {string} sentence */
export function promptOf(sentence) {
  const words = sentence.toLowerCase().replace(".", " .").split(" ");
  return words.map((word) => TOKENS.indexOf(word));
}

/** @param {number} token */
export function wordOf(token) {
  return TOKENS[token] ?? "";
}
