import type { TimeToLoss } from '@tributary/rest-api'
import { visibleText } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'

/** Lines after the status: the time to loss, then what is uncertain about it. */
export function renderTimeToLoss(loss: TimeToLoss, palette: Palette): string {
  const paint = {
    ok: palette.good,
    unlimited: palette.good,
    warning: palette.doubtful,
    unknown: palette.doubtful,
    lost: palette.bad,
  }
  const head = `\nTime to loss: ${paint[loss.status](visibleText(answerOf(loss)))}\n`
  const details = [...detailsOf(loss), ...loss.notes, ...(loss.problem === null ? [] : [loss.problem])]
  return head + details.map((line) => `  ${visibleText(line)}\n`).join('')
}

function answerOf({ status, seconds, bytes, needed_file: file }: TimeToLoss): string {
  const what = file === null ? 'the binlog that it needs' : file
  switch (status) {
    case 'lost':
      return 'lost: the server has purged the binlog that the connector needs'
    case 'unlimited':
      return 'unlimited: the server does not purge its binlog by itself'
    case 'unknown':
      return 'unknown'
    case 'ok':
    case 'warning':
      if (seconds === null) return `the server keeps ${what} until it has written ${size(bytes ?? 0)} more`
      return `the server keeps ${what} for ${duration(seconds)} or longer`
  }
}

function detailsOf(loss: TimeToLoss): readonly string[] {
  const { expected_seconds: expected, retention, growth_bytes_per_second: growth, backlog_bytes: backlog } = loss
  const parts = [
    ...(expected === null ? [] : [`it will probably purge it in ${duration(expected)}`]),
    ...(backlog === null ? [] : [`${size(backlog)} not read yet`]),
    ...(growth === null ? [] : [`the binlog grows by ${size(growth)}/s`]),
    ...retention,
    ...(loss.age_seconds === null ? [] : [`measured ${duration(loss.age_seconds)} ago`]),
  ]
  return parts.length === 0 ? [] : [parts.join(', ')]
}

const TIME_UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const

/** In the two largest units, rounded down: `29 d 23 h`. */
function duration(seconds: number): string {
  const parts: string[] = []
  let rest = Math.floor(seconds)
  for (const [unit, name] of TIME_UNITS) {
    if (rest < unit && parts.length === 0) continue
    const count = Math.floor(rest / unit)
    if (parts.length < 2 && count > 0) parts.push(`${count} ${name}`)
    rest %= unit
  }
  if (parts.length === 0 || (parts.length < 2 && rest > 0 && seconds < 3600)) parts.push(`${rest} s`)
  return parts.join(' ')
}

function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
