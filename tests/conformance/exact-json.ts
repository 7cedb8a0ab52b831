/** A number of a JSON document in its spelling, without rounding. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Equal exactly for numbers of equal value, such as `1.0E3`, `1000` and `1e3`. */
  get normalForm(): string {
    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(this.text)
    if (match === null) return this.text
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
    const digits = (whole + fraction).replace(/^0+/, '')
    if (digits === '') return `${sign}0`
    const significant = digits.replace(/0+$/, '')
    const power = Number(exponent) - fraction.length + digits.length - significant.length
    if (power === 0) return sign + significant
    return power > 0 && power < 40 ? sign + significant + '0'.repeat(power) : `${sign}${significant}e${power}`
  }
}

export type ExactJson = null | boolean | string | ExactNumber | readonly ExactJson[] | ExactObject
export interface ExactObject {
  readonly [key: string]: ExactJson
}

/** Parses JSON without losing a digit; throws SyntaxError. */
export function parseExactJson(text: string): ExactJson {
  const keepNumbers = (_key: string, value: ExactJson | number, context?: { readonly source?: string }): ExactJson =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value
  return JSON.parse(text, keepNumbers) as ExactJson
}

/** The content of a JSON string; for any other value, its JSON. */
export function stringContent(text: string): string {
  const parsed = parseExactJson(text)
  return typeof parsed === 'string' ? parsed : text
}

export function isExactObject(value: ExactJson | undefined): value is ExactObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

export function isExactArray(value: ExactJson | undefined): value is readonly ExactJson[] {
  return Array.isArray(value)
}

/** A member of an object; undefined when the value is not an object or has no such member. */
export function member(value: ExactJson | undefined, key: string): ExactJson | undefined {
  return isExactObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** One text for equal values: keys sorted, numbers in normal form. */
export function canonicalText(value: ExactJson | undefined): string {
  if (value === undefined) return '(absent)'
  if (value instanceof ExactNumber) return value.normalForm
  if (isExactArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isExactObject(value)) return JSON.stringify(value)
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
  return `{${entries.join(',')}}`
}
