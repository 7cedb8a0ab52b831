/** Days since 1970 of an existing date, YYYYMMDD: counted in 400-year eras whose years begin in March. */
export function daysSince1970(date: number): number {
  const day = date % 100
  const month = Math.floor(date / 100) % 100
  const year = Math.floor(date / 10_000) - (month <= 2 ? 1 : 0)
  const era = Math.floor(year / 400)
  const yearOfEra = year - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}
