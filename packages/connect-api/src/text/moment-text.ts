const MS_PER_DAY = 86_400_000
/** Days from 1 March of the year 0 to 1 January 1970. */
const DAYS_TO_EPOCH = 719_468
/** Days in 400 years of the Gregorian calendar. */
const DAYS_PER_ERA = 146_097

/**
 * Returns a date, time or timestamp as Connect's header converter prints it. Java has one class for all three, so that
 * the value decides and not the schema: everything before 2 January 1970 is printed as a time of day, and a timestamp
 * at midnight as a date.
 */
export function momentText(milliseconds: number): string {
  if (milliseconds < MS_PER_DAY) return timeText(milliseconds)
  const day = dateText(Math.floor(milliseconds / MS_PER_DAY))
  return milliseconds % MS_PER_DAY === 0 ? day : `${day}T${timeText(milliseconds)}`
}

/** Returns a time in milliseconds since 1970 as `yyyy-MM-ddTHH:mm:ss.SSSZ`, also at midnight. */
export function instantText(milliseconds: number): string {
  return `${dateText(Math.floor(milliseconds / MS_PER_DAY))}T${timeText(milliseconds)}`
}

/** Returns the time of day as `HH:mm:ss.SSSZ`. */
function timeText(milliseconds: number): string {
  const inDay = ((milliseconds % MS_PER_DAY) + MS_PER_DAY) % MS_PER_DAY
  const seconds = Math.floor(inDay / 1000)
  const hour = Math.floor(seconds / 3600)
  const minute = Math.floor(seconds / 60) % 60
  return `${pad(hour, 2)}:${pad(minute, 2)}:${pad(seconds % 60, 2)}.${pad(inDay % 1000, 3)}Z`
}

/**
 * Returns `yyyy-MM-dd` of a day counted from 1 January 1970. Calculates with years that begin in March, so that they
 * end with the leap day.
 */
function dateText(epochDay: number): string {
  const day = epochDay + DAYS_TO_EPOCH
  const era = Math.floor(day / DAYS_PER_ERA)
  const dayOfEra = day - era * DAYS_PER_ERA
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
