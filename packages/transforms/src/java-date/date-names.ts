export const MONTHS: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** From Sunday, which is 1 in Java. */
export const WEEKDAYS: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]
export const ERAS: readonly string[] = ['BC', 'AD']
export const HALF_DAYS: readonly string[] = ['AM', 'PM']

/** English names of months and weekdays are shortened to three letters. */
export function shortName(name: string): string {
  return name.slice(0, 3)
}
