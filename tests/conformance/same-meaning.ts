import {
  type ExactJson,
  ExactNumber,
  isExactArray,
  isExactObject,
  parseExactJson,
  stringContent,
} from './exact-json.ts'

/** `expected` has the same instant without trailing zeros in its fraction. Both are JSON strings. */
export function isSameInstant(expected: string, actual: string): boolean {
  return withoutZeros(expected) === withoutZeros(actual) && expected.length < actual.length
}

function withoutZeros(instant: string): string {
  return instant.replace(/(\.\d*?)0*Z"$/, (_, digits: string) => (digits === '.' ? 'Z"' : `${digits}Z"`))
}

/** `expected` is the single-precision number of MySQL's six-digit text of `actual`. */
export function isSameFloatOfSixDigits(expected: string, actual: string): boolean {
  return Math.fround(Number(Number(actual).toPrecision(6))) === Number(expected)
}

/** Both are JSON strings that contain documents; the expected one has spaces after commas and colons, ours has none. */
export function isSameJsonWithoutSpaces(expected: string, actual: string): boolean {
  const [theirs, ours] = [expected, actual].map(stringContent)
  return theirs !== undefined && withoutSpaces(theirs) === ours
}

/** The document without the spaces outside its strings. */
function withoutSpaces(document: string): string {
  return document.replaceAll(/"(?:[^"\\]|\\.)*"| /g, (token) => (token === ' ' ? '' : token))
}

/**
 * The same for forms that only the stream of the reference has: doubles without an exponent, opaque values without
 * their type, times without trailing zeros and without their sign.
 */
export function isSameJsonOfStream(expected: string, actual: string): boolean {
  const [theirs, ours] = [expected, actual].map((text) => parseExactJson(stringContent(text)))
  return theirs !== undefined && ours !== undefined && isSameValue(theirs, ours)
}

function isSameValue(theirs: ExactJson, ours: ExactJson): boolean {
  if (theirs instanceof ExactNumber && ours instanceof ExactNumber) return Number(theirs.text) === Number(ours.text)
  if (typeof theirs === 'string' && typeof ours === 'string') return isSameText(theirs, ours)
  if (isExactArray(theirs) && isExactArray(ours)) {
    return theirs.length === ours.length && theirs.every((item, i) => isSameValue(item, ours[i] ?? null))
  }
  if (!isExactObject(theirs) || !isExactObject(ours)) return theirs === ours
  const names = Object.keys(theirs)
  const hasSameNames = names.join('\0') === Object.keys(ours).join('\0')
  return hasSameNames && names.every((name) => isSameValue(theirs[name] ?? null, ours[name] ?? null))
}

function isSameText(theirs: string, ours: string): boolean {
  const time = /^-?(.*\d\d:\d\d:\d\d)(?:\.(\d*?)0*)?$/
  const [a, b] = [time.exec(theirs), time.exec(ours)]
  if (a !== null && b !== null) return a[1] === b[1] && (a[2] ?? '') === (b[2] ?? '')
  return ours.replace(/^base64:type\d+:/, '') === theirs
}
