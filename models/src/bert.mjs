import { bertEncoder } from "./text-encoder.mjs";

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".split("");
const SIGNS = "!?.,;:'\"()-".split("");
const WORDS =
  "the a an and or not of to in on at for with from by is are was were be it this that he she they we you i cat dog cats " +
  "dogs sat mat house home old new red blue green big small train station late soup bread tomorrow snow ran run eat ate " +
  "ing ed er est ly tion al ness";

const VOCABULARY = [...SPECIAL, ...SIGNS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), ...pieces()];

/** The numbers of the encoder, as its configuration in the Hugging Face Hub would state them. */
const CONFIG = {
  model_type: "bert",
  architectures: ["BertModel"],
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 512,
  max_position_embeddings: 512,
  vocab_size: VOCABULARY.length,
};

const TOKENIZER_CONFIG = {
  tokenizer_class: "BertTokenizer",
  do_lower_case: true,
  model_max_length: 512,
  pad_token: "[PAD]",
  unk_token: "[UNK]",
  cls_token: "[CLS]",
  sep_token: "[SEP]",
  mask_token: "[MASK]",
};

/**
 * A small text encoder as the Hugging Face Hub has them, for transformers.js: its files by path. The weights are random,
 * from a seed; the tokenizer knows a few words, and spells all others. Texts with the same words get similar vectors.
 *
 * @returns {Record<string, string | Uint8Array>}
 */
export function bertFiles() {
  return {
    "config.json": JSON.stringify(CONFIG),
    "tokenizer.json": JSON.stringify(tokenizer()),
    "tokenizer_config.json": JSON.stringify(TOKENIZER_CONFIG),
    "onnx/model.onnx": bertEncoder("bert-tiny").bytes,
  };
}

function pieces() {
  return WORDS.split(" ").flatMap((word) => (word.length > 1 ? [word, `##${word}`] : []));
}

function tokenizer() {
  const idOf = (/** @type {string} */ token) => VOCABULARY.indexOf(token);
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content) => ({ id: idOf(content), content, special: true, ...PLAIN })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, special("[SEP]")],
      pair: [
        special("[CLS]"),
        { Sequence: { id: "A", type_id: 0 } },
        special("[SEP]"),
        { Sequence: { id: "B", type_id: 1 } },
      ],
      special_tokens: Object.fromEntries(
        ["[CLS]", "[SEP]"].map((token) => [token, { id: token, ids: [idOf(token)], tokens: [token] }]),
      ),
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
    },
  };
}

const PLAIN = { single_word: false, lstrip: false, rstrip: false, normalized: false };

/** @param {string} id */
function special(id) {
  return { SpecialToken: { id, type_id: 0 } };
}
