/** Fields of a date that a text contains, as Java's Calendar has them. Months begin with 0, weekdays with Sunday = 1. */
export type CalendarField =
  | 'era'
  | 'year'
  | 'weekYear'
  | 'month'
  | 'weekOfYear'
  | 'weekOfMonth'
  | 'dayOfMonth'
  | 'dayOfYear'
  | 'dayOfWeek'
  | 'dayOfWeekInMonth'
  | 'halfDay'
  | 'hour'
  | 'hourOfDay'
  | 'minute'
  | 'second'
  | 'millisecond'
  | 'zoneOffsetMs'

/** The fields with the order in which they were set: where two contradict each other, the later one counts. */
export class CalendarFields {
  readonly #values = new Map<CalendarField, number>()
  readonly #stamps = new Map<CalendarField, number>()
  #nextStamp = 1

  set(field: CalendarField, value: number): void {
    this.#values.set(field, value)
    this.#stamps.set(field, this.#nextStamp)
    this.#nextStamp += 1
  }

  has(field: CalendarField): boolean {
    return this.#values.has(field)
  }

  get(field: CalendarField, otherwise = 0): number {
    return this.#values.get(field) ?? otherwise
  }

  /** 0: not set. */
  stampOf(field: CalendarField): number {
    return this.#stamps.get(field) ?? 0
  }

  /** The later one of both; 0 unless both are set. */
  stampOfBoth(first: CalendarField, second: CalendarField): number {
    const [a, b] = [this.stampOf(first), this.stampOf(second)]
    return a === 0 || b === 0 ? 0 : Math.max(a, b)
  }

  /** Changes the year without a new stamp. */
  addYears(years: number): void {
    for (const field of ['year', 'weekYear'] as const) {
      const value = this.#values.get(field)
      if (value !== undefined) this.#values.set(field, value + years)
    }
  }
}
