/**
 * A double as MySQL prints it inside JSON (my_gcvt of strings/dtoa.cc, then json_dom.cc adds `.0` to integers): the
 * fewest digits that identify the double, without an exponent from 1e-15 to 1e15.
 */
export function formatDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  // The value is 0.digits × 10^point.
  const point = Number(exponent) + 1
  const sign = value < 0 ? '-' : ''
  if (point < -14 || (point > 15 && digits.length <= point)) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits.slice(0, 1)}${fraction}e${point - 1}`
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (digits.length > point) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  return `${sign}${digits.padEnd(point, '0')}.0`
}
