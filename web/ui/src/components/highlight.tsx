/** Text with the words of a question marked in it: as elements, never as HTML. */

/** Words that say nothing about what is looked for. */
const SMALL = new Set(
  "a an and are as at be but by can do does for from had has have how i if in is it its me my of on or our so that the their them then there these they this to us was we were what when where which who whom whose why will with you your 的 了 是 在 我 你 他 她 它 吗 呢 什么 怎么 多少 哪里 哪个 谁 和 有".split(" "),
);
const MOST_WORDS = 24;

export function wordsOf(question: string): string[] {
  const found = new Set<string>();
  for (const { segment, isWordLike } of new Intl.Segmenter("zh", { granularity: "word" }).segment(question.toLowerCase())) {
    if (isWordLike && !SMALL.has(segment)) found.add(segment);
  }
  return [...found].slice(0, MOST_WORDS);
}

function patternOf(words: string[]): RegExp | null {
  if (!words.length) return null;
  const parts = words.map((word) => {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    if (!/^[\p{Script=Latin}\d]+$/u.test(word)) return escaped;
    const stem = word.length > 4 ? escaped.replace(/(?:ing|ed|es|s)$/, "") : escaped; // "covers" also marks "covered"
    return `(?<![\\p{L}\\p{N}])${stem}\\p{L}{0,3}(?![\\p{L}\\p{N}])`;
  });
  return new RegExp(parts.join("|"), "giu");
}

export function Highlight({ text, words }: { text: string; words: string[] }) {
  const pattern = patternOf(words);
  const parts: (string | preact.JSX.Element)[] = [];
  let end = 0;
  for (const match of pattern ? text.matchAll(pattern) : []) {
    if (!match[0]) continue;
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}
