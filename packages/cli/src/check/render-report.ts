import type { CheckResult, Finding, TableEstimate } from '@tributary/connector-mysql'
import { visibleText } from '@tributary/support'
import { isInTable, type PrintedReport } from './check-report.ts'
import { renderEffects } from './render-effects.ts'
import { type Cell, textTable } from '../terminal/text-table.ts'
import type { Palette } from '../terminal/palette.ts'

/** A report lists at most so many tables and counts the others; --json has all. */
const TABLES_MAX = 20

/**
 * A report for people: the properties, the server, each check with its findings, the captured tables, and the number of
 * findings.
 */
export function renderReport(report: PrintedReport, palette: Palette): string {
  const { server, checks, findings, properties } = report
  const ofChecks = new Set(checks.flatMap((check) => check.findings))
  const others = findings.filter((finding) => !ofChecks.has(finding) && !isInTable(finding, properties))
  const head = server === null ? '' : `${NAMES[server.flavor]} ${server.version} at ${server.address}\n\n`
  const width = Math.max(0, ...checks.map(({ title }) => title.length))
  return [
    renderEffects(properties, palette),
    visibleText(head),
    ...others.map(
      (finding) => `${mark([finding], palette)} ${visibleText(finding.property)}\n${renderFinding(finding, palette)}`,
    ),
    ...checks.map((check) => renderCheck(check, width, palette)),
    renderTables(report, palette),
    ...report.notChecked.map((text) => `\n${palette.aside(visibleText(`Not checked: ${text}`))}\n`),
    renderSum(findings, palette),
  ].join('')
}

const NAMES = { mysql: 'MySQL', mariadb: 'MariaDB' } as const

function renderCheck({ title, found, findings }: CheckResult, width: number, palette: Palette): string {
  const line = `${mark(findings, palette)} ${title.padEnd(width)}  ${palette.aside(visibleText(found))}\n`
  return line + findings.map((finding) => renderFinding(finding, palette)).join('')
}

/** The statement has a line of its own, so that it can be copied; the message refers to that line. */
function renderFinding({ message, statement }: Finding, palette: Palette): string {
  if (statement === null) return `    ${visibleText(message)}\n\n`
  const below = statement.includes('; ') ? 'the statements below' : 'the statement below'
  const text = message
    .replace(statement, () => below)
    .replace(`Run: ${below}`, `Run ${below}`)
    .replace(/below$/, 'below.')
  return `    ${visibleText(text)}\n\n    ${palette.string(visibleText(statement))}\n\n`
}

function mark(findings: readonly Finding[], palette: Palette): string {
  if (findings.length === 0) return palette.good('✔')
  return findings.some(({ severity }) => severity === 'error') ? palette.bad('✖') : palette.doubtful('⚠')
}

function renderTables({ tables, snapshot }: PrintedReport, palette: Palette): string {
  if (tables.length === 0) return ''
  const shown = tables.slice(0, TABLES_MAX)
  const more = tables.length - shown.length
  const rest = more === 0 ? '' : `${palette.aside(`and ${count(more, 'more table')}; --json has all`)}\n`
  const table = textTable(['CAPTURED TABLE', 'ROWS (ABOUT)', 'SIZE'], shown.map(tableRow), palette)
  const sum =
    snapshot === null
      ? ''
      : `\nSnapshot: ${count(snapshot.tables, 'table')}, about ${count(snapshot.rows, 'row')}, ${size(snapshot.bytes)}: about ${duration(snapshot.seconds)}, by the server's estimates and a measured rate.\n`
  return `\n${table}${rest}${sum}`
}

function tableRow({ database, table, rows, bytes }: TableEstimate): readonly Cell[] {
  return [`${database}.${table}`, grouped(rows), size(bytes)]
}

function renderSum(findings: readonly Finding[], palette: Palette): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return `\n${palette.good('Nothing is wrong.')}\n`
  const paint = errors > 0 ? palette.bad : palette.doubtful
  return `\n${paint(`${count(errors, 'error')}, ${count(warnings, 'warning')}`)}\n`
}

function count(number: number, what: string): string {
  return `${grouped(number)} ${what}${number === 1 ? '' : 's'}`
}

function grouped(number: number): string {
  return number.toLocaleString('en')
}

function size(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

function duration(seconds: number): string {
  if (seconds < 120) return count(Math.max(1, seconds), 'second')
  return seconds < 7200 ? count(Math.round(seconds / 60), 'minute') : count(Math.round(seconds / 3600), 'hour')
}
