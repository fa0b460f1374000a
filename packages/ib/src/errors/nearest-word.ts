/** The candidate most like `word`, if it is near enough to be what was meant. Case, `_` and `-` do not count. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The hint for a misspelt word, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearestWord(word, candidates);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, "");
}

/** Insertions, deletions, substitutions and swaps of neighbours, each counted once. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
