/** A double as Java's Double.toString prints it: `1.0`, `1.0E7`, `0.001`. */
export function javaDouble(value: number): string {
  return javaNotation(value, Math.abs(value).toExponential())
}

/** A float as Java's Float.toString prints it, with the fewest digits that identify the float. */
export function javaFloat(value: number): string {
  const size = Math.abs(value)
  for (let digits = 0; digits < FLOAT_DIGITS; digits++) {
    const notation = size.toExponential(digits)
    if (Math.fround(Number(notation)) === size) return javaNotation(value, notation)
  }
  return javaNotation(value, size.toExponential(FLOAT_DIGITS))
}

/** After the first: nine digits identify any float. */
const FLOAT_DIGITS = 8

function javaNotation(value: number, notation: string): string {
  if (!Number.isFinite(value)) return String(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [mantissa = '0', power = '0'] = notation.split('e')
  const exponent = Number(power)
  const digits = mantissa.replace('.', '').replace(/0+$/, '') || '0'
  if (value === 0) return `${sign}0.0`
  if (exponent < -3 || exponent >= 7) return `${sign}${digits.charAt(0)}.${digits.slice(1) || '0'}E${exponent}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}
