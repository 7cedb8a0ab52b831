/** Numbers and times for people, in the language and the zone of the visitor. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'short' })

export const NOTHING = '–'

export function formatCount(value: number | null): string {
  return value === null ? NOTHING : whole.format(value)
}

/** `1 row`, `2 rows` */
export function formatRows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
}

/** Per second: whole numbers from ten on, otherwise up to three digits. */
export function formatRate(value: number | null): string {
  if (value === null) return NOTHING
  return value >= 10 || value === 0 ? whole.format(value) : short.format(value)
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function formatBytes(bytes: number | null): string {
  if (bytes === null) return NOTHING
  const power = Math.min(UNITS.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${short.format(bytes / 1_000 ** power)} ${UNITS[power]}`
}

export function formatDuration(ms: number | null): string {
  if (ms === null) return NOTHING
  if (ms < 1_000) return `${short.format(ms < 10 ? ms : Math.round(ms))} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${short.format(seconds)} s`
  const minutes = seconds / 60
  if (minutes < 60) return `${Math.floor(minutes)} min ${Math.floor(seconds % 60)} s`
  const hours = minutes / 60
  if (hours < 48) return `${Math.floor(hours)} h ${Math.floor(minutes % 60)} min`
  return `${Math.floor(hours / 24)} d ${Math.floor(hours % 24)} h`
}

export function formatClock(ms: number): string {
  return clock.format(ms)
}

export function formatMinute(ms: number): string {
  return minute.format(ms)
}

/** The time, with the day if it is not today. */
export function formatMoment(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString()
  return isToday ? clock.format(ms) : `${day.format(ms)} ${clock.format(ms)}`
}

/** With date and zone, for titles. */
export function formatFull(ms: number): string {
  return full.format(ms)
}

export function formatAgo(ms: number, nowMs: number): string {
  const age = nowMs - ms
  return age < 3_000 ? 'now' : `${formatDuration(Math.max(0, age)).replace(/ min \d+ s$/, ' min')} ago`
}

/** The database in the name of a connector class. */
export function databaseOf(className: string): string {
  if (/mariadb/i.test(className)) return 'MariaDB'
  return /mysql/i.test(className) ? 'MySQL' : (className.split('.').pop() ?? className)
}
