import { kafkaErrors } from '../api/errors.ts'

export type Properties = Readonly<Record<string, string>>

/** Reads single properties as the Java client does: trimmed; an empty number is an error. */
export class PropertyReader {
  readonly #properties: Properties

  constructor(properties: Properties) {
    this.#properties = properties
  }

  text(name: string): string | undefined {
    return this.#properties[name]?.trim()
  }

  choice<const T extends string>(name: string, choices: readonly T[], byDefault: T): T {
    const value = this.text(name)
    if (value === undefined) return byDefault
    const choice = choices.find((each) => each === value)
    if (choice !== undefined) return choice
    throw kafkaErrors.SETTING_INVALID({ name, value, reason: `it must be one of ${choices.join(', ')}` })
  }

  /** A whole number of milliseconds, cut to the longest timer of Node (24 days). */
  milliseconds(name: string, least: number): number | undefined {
    const value = this.wholeNumber(name, least)
    return value === undefined ? undefined : Math.min(value, TIMER_MS_MAX)
  }

  /** A whole number up to Java's Long.MAX_VALUE, rounded to a double; `undefined` when it is not set. */
  wholeNumber(name: string, least: number): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = /^[+-]?\d{1,19}$/.test(value) ? Number(value) : Number.NaN
    if (number >= least) return number
    throw kafkaErrors.SETTING_INVALID({ name, value, reason: `it must be a whole number, at least ${least}` })
  }

  /** A decimal number within limits; `undefined` when it is not set. */
  decimal(name: string, { least, most }: { readonly least: number; readonly most: number }): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw kafkaErrors.SETTING_INVALID({ name, value, reason: `it must be a number from ${least} to ${most}` })
  }

  /** Refuses a setting unless it is absent or has one of these values. */
  refuse(
    name: string,
    why: { readonly unless: readonly string[]; readonly reason: string; readonly instead: string },
  ): void {
    const value = this.text(name)
    if (value === undefined || value === '' || why.unless.includes(value)) return
    throw kafkaErrors.SETTING_UNSUPPORTED({ name, value, reason: why.reason, instead: why.instead })
  }
}

const TIMER_MS_MAX = 2 ** 31 - 1
