/**
 * The text of a number that every program writes in the same way, or null. Strimzi, Terraform and Connect convert
 * numbers to texts: `1.50` becomes 1.5 in one of them and `0123` becomes 83 or 123. In a password or a port, the
 * difference would be noticed late.
 */
export function numberText(source: string): string | null {
  return PLAIN.test(source) ? source : null
}

/** Whole numbers that a double holds exactly, and decimal fractions that Java prints without an exponent. */
const PLAIN = /^-?(0|[1-9]\d{0,14})$|^-?(0|[1-9]\d{0,5})\.(\d{0,7}[1-9])$/
