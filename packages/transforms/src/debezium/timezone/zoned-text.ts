import { transformErrors } from '../../errors.ts'
import { civilDate, daysOf } from '../../stage/civil-date.ts'
import type { ZoneOffsets } from './zone-offsets.ts'

const OFFSET = String.raw`(Z|[+-]\d{2}:\d{2}(?::\d{2})?)`
const TIME = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{0,9}))?)?`
const TIMESTAMP = new RegExp(String.raw`^([+-]?\d{4,9})-(\d{2})-(\d{2})T${TIME}${OFFSET}$`, 'i')
const TIME_ONLY = new RegExp(`^${TIME}${OFFSET}$`, 'i')

const DAY_SECONDS = 86_400

/** The same instant with the offset of the zone: `2026-11-24T10:11:12.5Z` → `2026-11-24T18:11:12.5+08:00`. */
export function timestampIn(zone: ZoneOffsets, text: string): string {
  const match = TIMESTAMP.exec(text)
  if (match === null) throw transformErrors.ZONED_TEXT({ type: 'io.debezium.time.ZonedTimestamp' })
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset = 'Z'] = match
  const days = daysOf({ year: Number(year), month: Number(month), day: Number(day) })
  const local = days * DAY_SECONDS + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  // The offset is that of the local time, as if the clock of the zone showed it: so does Debezium.
  const target = zone.ofLocal(local * 1000)
  const moved = local + target - secondsOf(offset)
  const movedDays = Math.floor(moved / DAY_SECONDS)
  const date = civilDate(movedDays)
  const dateText = `${yearText(date.year)}-${two(date.month)}-${two(date.day)}`
  return `${dateText}T${clockText(moved - movedDays * DAY_SECONDS)}${fractionText(fraction)}${offsetText(target)}`
}

/** `offset`: of the zone now, since a time has no date that would determine it. */
export function timeIn(offset: number, text: string): string {
  const match = TIME_ONLY.exec(text)
  if (match === null) throw transformErrors.ZONED_TEXT({ type: 'io.debezium.time.ZonedTime' })
  const [, hour, minute, second = '0', fraction = '', own = 'Z'] = match
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - secondsOf(own) + offset
  const moved = ((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS
  return `${clockText(moved)}${fractionText(fraction)}${offsetText(offset)}`
}

function clockText(seconds: number): string {
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

function secondsOf(offset: string): number {
  if (/^z$/i.test(offset)) return 0
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number)
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z'
  const total = Math.abs(offset)
  const seconds = total % 60 === 0 ? '' : `:${two(total % 60)}`
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(total / 3600))}:${two(Math.floor(total / 60) % 60)}${seconds}`
}

function fractionText(fraction: string): string {
  const digits = fraction.replace(/0+$/, '')
  return digits === '' ? '' : `.${digits}`
}

function yearText(year: number): string {
  if (year > 9999) return `+${year}`
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0')
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
