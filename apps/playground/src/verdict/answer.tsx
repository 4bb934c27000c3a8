import type { Headline } from "../measure/verdict.js";

interface AnswerProps {
  readonly headline: Headline;
  /** Colours the headline: the answer of a verdict, or the kind of a finding. */
  readonly answer: string;
  readonly sentence: string;
}

/** An answer: a word or two, the factor, and a few sentences. */
export function Answer({ headline: { word, factor, range }, answer, sentence }: AnswerProps) {
  return (
    <>
      <p class="headline" data-answer={answer} data-testid="headline">
        {word}
        {factor === "" ? null : range === "" ? `: ${factor}` : ` ${factor} `}
        {range === "" ? null : <small>({range})</small>}
      </p>
      <p class="verdict-sentence" data-testid="verdict">
        {sentence}
      </p>
    </>
  );
}
