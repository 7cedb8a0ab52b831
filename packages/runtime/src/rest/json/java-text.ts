/**
 * A number as `Double.toString` of Java prints it: with a decimal point always, and with an exponent below 0.001 and from
 * ten million on.
 */
export function formatJavaDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const magnitude = Math.abs(value)
  if (magnitude >= 0.001 && magnitude < 10_000_000) {
    const text = String(value)
    return text.includes('.') ? text : `${text}.0`
  }
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`
}

/** A text as `String.trim` of Java gives it: without characters up to U+0020 at both ends, control characters too. */
export function trimJava(text: string): string {
  return text.replaceAll(/^[\0- ]+|[\0- ]+$/g, '')
}
