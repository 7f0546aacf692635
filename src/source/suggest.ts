/** Longest word that is compared: edit distance is quadratic, and nobody mistypes a page. */
const maxLength = 64;

/**
 * The known word that was most likely meant, or null. One edit (insert, delete, replace, or two neighbours
 * swapped) is allowed for every three letters, at least one; case and `_`, `-`, `.` cost nothing. Of equally
 * near words the first one wins, so the answer does not depend on anything but its arguments.
 */
export function suggest(word: string, known: Iterable<string>): string | null {
  const wanted = folded(word);
  if (wanted === "" || wanted.length > maxLength) return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    if (candidate === word) continue;
    const text = folded(candidate);
    if (text === "" || Math.abs(text.length - wanted.length) >= least || text.length > maxLength) continue;
    const distance = editDistance(wanted, text);
    // A word whose every letter had to change is no likeness, however short.
    if (distance < least && distance < Math.max(wanted.length, text.length)) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** `Did you mean "x"? ` or nothing, for the beginning of an advice. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = suggest(word, known);
  return meant === null ? "" : `Did you mean "${meant}"? `;
}

const folded = (word: string): string => word.toLowerCase().replace(/[_.\s-]/g, "");

/** Optimal string alignment distance (Damerau–Levenshtein without overlapping swaps). O(a·b). */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
