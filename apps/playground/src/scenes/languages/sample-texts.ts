import { languageOf, type TextRow } from "./text-rows.js";

const TEXTS: readonly (readonly [tag: string, text: string])[] = [
  ["it", "Una lingua nuova è come una finestra sul mondo."],
  ["fi", "Tänään paistaa aurinko, mennään järvelle uimaan."],
  ["ja", "この列車は京都まで行きますか。"],
  ["cy", "Mae hi'n bwrw glaw ar y mynyddoedd heddiw."],
  ["el", "Ο ήλιος ανατέλλει πάνω από τη θάλασσα."],
  ["vi", "Hôm nay trời đẹp, chúng ta đi dạo nhé."],
  ["ar", "أحب القراءة في الحديقة كل صباح."],
  ["sw", "Leo tutapika chakula pamoja na marafiki."],
  ["uk", "Сьогодні ввечері ми слухаємо музику."],
];

/** Sample sentences. None of them is in the training data. */
export const sampleTexts: readonly TextRow[] = TEXTS.map(([tag, text]) => ({ text, language: languageOf(tag) }));
