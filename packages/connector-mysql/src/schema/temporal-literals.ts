/** Literals of DEFAULT clauses, parsed like the server does; undefined for a text that is not a date or time. */

/** `2020-02-09`, `20200209`, `2020-2-9 …`: the date part, YYYYMMDD. */
export function parseDateLiteral(literal: string): number | undefined {
  return parseDatetimeLiteral(literal)?.date
}

/** `2020-02-09 12:34:56.5`, with `T` or other separators, or digits only. */
export function parseDatetimeLiteral(literal: string): { date: number; microsOfDay: number } | undefined {
  const text = literal.trim()
  const compact = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?(?:\.(\d+))?$/.exec(text)
  const match =
    compact ??
    /^(\d{1,4})[^\d\s](\d{1,2})[^\d\s](\d{1,2})(?:[T\s]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?$/.exec(text)
  if (match === null) return undefined
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction = ''] = match
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const date = Number(year) * 10_000 + Number(month) * 100 + Number(day)
  return { date, microsOfDay: seconds * 1_000_000 + parseFraction(fraction) }
}

/** `[-][d ]h:mm[:ss[.f]]`, or `hhmmss` as a number; microseconds. */
export function parseTimeLiteral(literal: string): number | undefined {
  const text = literal.trim()
  const clock = /^(-?)(?:(\d+) +)?(\d+):(\d{1,2})(?::(\d{1,2}))?(?:\.(\d*))?$/.exec(text)
  if (clock !== null) {
    const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = clock
    const total = (Number(days) * 24 + Number(hours)) * 3600 + Number(minutes) * 60 + Number(seconds)
    return signed(sign === '-', total * 1_000_000 + parseFraction(fraction))
  }
  const number = /^(-?)(\d{1,7})(?:\.(\d*))?$/.exec(text)
  if (number === null) return undefined
  const digits = Number(number[2])
  const total = Math.floor(digits / 10_000) * 3600 + (Math.floor(digits / 100) % 100) * 60 + (digits % 100)
  return signed(number[1] === '-', total * 1_000_000 + parseFraction(number[3] ?? ''))
}

function parseFraction(digits: string): number {
  return Number(digits.slice(0, 6).padEnd(6, '0'))
}

function signed(isNegative: boolean, micros: number): number {
  return isNegative && micros !== 0 ? -micros : micros
}
