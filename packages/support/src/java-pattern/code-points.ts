/** A range of code points, both ends included. */
export type CodePointRange = readonly [first: number, last: number]

const LAST_CODE_POINT = 0x10ffff
/** Distance of a small ASCII letter from its capital. */
const CASE_DISTANCE = 32

/** The code points that are in none of the ranges. */
export function complement(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const gaps: CodePointRange[] = []
  let next = 0
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (first > next) gaps.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  if (next <= LAST_CODE_POINT) gaps.push([next, LAST_CODE_POINT])
  return gaps
}

/** The ranges with the other case of each ASCII letter in them: what CASE_INSENSITIVE without UNICODE_CASE adds. */
export function withBothAsciiCases(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
  const A = 0x41
  const a = 0x61
  return [...ranges, ...shiftedLetters(ranges, A, CASE_DISTANCE), ...shiftedLetters(ranges, a, -CASE_DISTANCE)]
}

function shiftedLetters(ranges: readonly CodePointRange[], firstLetter: number, by: number): readonly CodePointRange[] {
  const lastLetter = firstLetter + 25
  return ranges
    .filter(([first, last]) => first <= lastLetter && last >= firstLetter)
    .map(([first, last]) => [Math.max(first, firstLetter) + by, Math.min(last, lastLetter) + by] as const)
}

/** The ranges as the inside of a character class of RE2. */
export function writeRanges(ranges: readonly CodePointRange[]): string {
  return ranges.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`)).join('')
}

function hex(codePoint: number): string {
  return String.raw`\x{${codePoint.toString(16)}}`
}
