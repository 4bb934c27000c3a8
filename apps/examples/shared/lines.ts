/** One sentence in nine languages. */
export const lines: readonly string[] = [
  "The children were playing in the garden when it started to rain.",
  "Les enfants jouaient dans le jardin quand la pluie a commencé.",
  "Die Kinder spielten im Garten, als es zu regnen begann.",
  "Los niños jugaban en el jardín cuando empezó a llover.",
  "I bambini giocavano in giardino quando ha cominciato a piovere.",
  "Dzieci bawiły się w ogrodzie, kiedy zaczął padać deszcz.",
  "Дети играли в саду, когда начался дождь.",
  "Τα παιδιά έπαιζαν στον κήπο όταν άρχισε η βροχή.",
  "雨が降り始めたとき、子供たちは庭で遊んでいました。",
];
