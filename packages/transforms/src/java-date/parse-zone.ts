import type { CalendarFields } from './calendar-fields.ts'

const MS_PER_MINUTE = 60_000

/**
 * Parses a zone of `z` or `Z`: `UTC`, `GMT`, `GMT+1:30`, `+0130`. Other names depend on the tables of the Java version
 * and are refused. Returns the position after it; null: there is no zone.
 */
export function parseZone(text: string, at: number, fields: CalendarFields): number | null {
  const sign = text.charAt(at)
  if (sign === '+' || sign === '-') return parseOffset(text, at, /(\d\d)(\d\d)/y, fields)
  const name = /GMT|UTC|Coordinated Universal Time/iy
  name.lastIndex = at
  const found = name.exec(text)?.[0]
  if (found === undefined) return null
  const end = at + found.length
  const hasOffset = found.toUpperCase() === 'GMT' && /[+-]/.test(text.charAt(end))
  if (hasOffset) return parseOffset(text, end, /(\d{1,2}):(\d\d)/y, fields)
  fields.set('zoneOffsetMs', 0)
  return end
}

const ISO_FORMS = [/(\d\d)/y, /(\d\d)(\d\d)/y, /(\d\d):(\d\d)/y] as const

/** Parses a zone of `X`, `XX` or `XXX`: `Z`, `+01`, `+0130`, `+01:30`. */
export function parseIsoZone(text: string, at: number, count: number, fields: CalendarFields): number | null {
  if (text.charAt(at) === 'Z') {
    fields.set('zoneOffsetMs', 0)
    return at + 1
  }
  const form = ISO_FORMS[count - 1]
  return form === undefined || !/[+-]/.test(text.charAt(at)) ? null : parseOffset(text, at, form, fields)
}

/** `at`: the position of the sign. */
function parseOffset(text: string, at: number, form: RegExp, fields: CalendarFields): number | null {
  form.lastIndex = at + 1
  const [found, hours = '', minutes = '0'] = form.exec(text) ?? []
  if (found === undefined || Number(hours) > 23 || Number(minutes) > 59) return null
  const sign = text.charAt(at) === '-' ? -1 : 1
  fields.set('zoneOffsetMs', sign * (Number(hours) * 60 + Number(minutes)) * MS_PER_MINUTE)
  return at + 1 + found.length
}
