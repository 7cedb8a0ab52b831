import type { ParsedValue, Validator } from './config-key.ts'

/** The validators have the messages of Kafka's ConfigDef. `atLeast` and `oneOf` accept null. */
export function atLeast(minimum: number): Validator {
  return (value) => (value === null || Number(value) >= minimum ? null : `Value must be at least ${minimum}`)
}

export function oneOf(...allowed: readonly string[]): Validator {
  return (value) =>
    value === null || allowed.includes(textOf(value)) ? null : `String must be one of: ${allowed.join(', ')}`
}

export function oneOfIgnoringCase(...allowed: readonly string[]): Validator {
  const lower = allowed.map((each) => each.toLowerCase())
  const names = allowed.map((each) => each.toUpperCase()).join(', ')
  return (value) =>
    value === null || lower.includes(textOf(value).toLowerCase())
      ? null
      : `String must be one of (case insensitive): ${names}`
}

export function nonNull(): Validator {
  return (value) => (value === null ? 'Value must be non-null' : null)
}

/** Connector names: not empty, no control characters. */
export function nonEmptyWithoutControlCharacters(): Validator {
  return (value) => {
    const text = value === null ? '' : textOf(value)
    if (text === '') return 'String may not be empty'
    const control = Array.from(text, (c) => c.codePointAt(0) ?? 0).filter(isIsoControl)
    if (control.length === 0) return null
    return `String may not contain control sequences but had the following ASCII chars: ${control.join(', ')}`
  }
}

/** Java's Character.isISOControl. */
function isIsoControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}

function textOf(value: ParsedValue): string {
  return typeof value === 'string' ? value : String(value)
}
