/** A day of the Gregorian calendar, also before its introduction. The month is 1 to 12, the year 0 is 1 BC. */
export interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Days of 400 years, after which the calendar repeats. */
const ERA_DAYS = 146_097
/** Days from March 1 of the year 0 to January 1, 1970. */
const EPOCH_DAYS = 719_468

/** Days since 1970. Years are counted from March, so that a leap day is the last of its year. */
export function daysOf({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * ERA_DAYS + yearOfEra * 365 + leapDays + dayOfYear - EPOCH_DAYS
}

export function civilDate(days: number): CivilDate {
  const shifted = days + EPOCH_DAYS
  const era = Math.floor(shifted / ERA_DAYS)
  const dayOfEra = shifted - era * ERA_DAYS
  // 1460, 36524 and 146096: the last days of 4, 100 and 400 years.
  const passed = dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor(passed / 365)
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}
