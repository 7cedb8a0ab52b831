import type { DifferenceGroup, DifferenceKind, PlannedMove, Rehearsal, Step } from '@tributary/rehearse'
import { visibleText } from '@tributary/support'
import type { Palette } from '../terminal/palette.ts'

/** The result of a rehearsal as text, without the commands. The caller may mask secrets in it. */
export function renderRehearsal(result: Rehearsal, palette: Palette): string {
  const unnamed = result.differences.filter(({ reason }) => reason === null)
  const named = result.differences.filter(({ reason }) => reason !== null)
  return [
    verdict(result, palette),
    section('What the move would change', unnamed.map(differenceText)),
    section('Deliberate differences', named.map(differenceText)),
    section(
      'Not compared',
      result.not_compared.map((text) => visibleText(text)),
    ),
    section(
      'Changed for the rehearsal only',
      result.changed.map(({ property, reason }) => visibleText(`${property}: ${reason}`)),
    ),
    section(
      'Warnings of the connector',
      result.warnings.map((text) => visibleText(text)),
    ),
  ].join('')
}

/** The commands as text. They contain no resolved values, and must be printed without a mask. */
export function renderMove({ move, back, move_notes: notes }: PlannedMove, palette: Palette): string {
  return [
    stepsText('To move the connector', move, palette),
    stepsText('To go back', back, palette),
    section(
      'About the move',
      notes.map((text) => visibleText(text)),
    ),
  ].join('')
}

function verdict({ state, connector, records, seconds, topics, differences }: Rehearsal, palette: Palette): string {
  const { rehearsed, compared, equal } = records
  const paint = state === 'AS_BEFORE' ? palette.good : state === 'DIFFERENT' ? palette.bad : palette.doubtful
  const kinds = differences.filter(({ reason }) => reason === null).length
  const texts = {
    AS_BEFORE: 'the move would change nothing but what has a name below',
    DIFFERENT: `the move would change records in ${kinds} ways`,
    UNPROVEN: 'nothing differs, but not everything could be compared',
    CANCELLED: 'the rehearsal was cancelled',
  } as const
  const head = `${paint(state)} ${visibleText(connector)}: ${texts[state]}`
  const counts = `${rehearsed} records made in ${seconds} s, ${compared} compared with those of Kafka Connect in ${topics.length} topics, ${equal} equal`
  return `${head}\n${counts}\n`
}

const KINDS: Readonly<Record<DifferenceKind, string>> = {
  missing: 'record that Kafka Connect did not write',
  extra: 'record that only Kafka Connect wrote',
  order: 'another order of the records of a key',
  repeated: 'record that is sent a second time,',
  partition: 'another partition',
  key: 'key',
  value: 'value',
  header: 'header',
  schema: 'schema',
}

function differenceText({ kind, path, topics, count, reason, example }: DifferenceGroup): string {
  const { theirs, ours, key, partition, offset } = example
  const where = topics.length === 1 ? (topics[0] ?? '') : `${topics[0] ?? ''} and others`
  const place = offset === null ? '' : ` (partition ${partition}, offset ${offset})`
  const head = `${count} × ${KINDS[kind]}${path === '' ? '' : ` ${path}`}${reason === null ? '' : `: ${reason}`}`
  const sides = `Kafka Connect ${theirs ?? 'nothing'}, Tributary ${ours ?? 'nothing'}`
  return [head, `    ${where}${place}, key ${key}`, `    ${sides}`].map((line) => visibleText(line)).join('\n')
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`
}

/** Wraps the commands in one shell that ends at the first failure, whichever shell they are pasted into. */
function stepsText(title: string, steps: readonly Step[], palette: Palette): string {
  if (steps.length === 0) return ''
  const lines = steps.map(
    ({ text, command }) => `${palette.aside(`# ${visibleText(text)}`)}\n${visibleText(command)}\n`,
  )
  return `\n${title}:\n\nsh -e <<'TRIBUTARY'\n${lines.join('')}TRIBUTARY\n`
}
