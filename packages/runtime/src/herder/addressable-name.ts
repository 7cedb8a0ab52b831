import { HerderError } from './herder-error.ts'

/**
 * Refuses the name of a new connector that no request could address afterwards: its path would contain an encoded slash
 * or percent sign, which HTTP servers and proxies refuse or decode twice, be a dot segment, or be too long. Kafka
 * Connect stores such names; a connector that has one already keeps it.
 *
 * @throws HerderError 'invalid configuration'
 */
export function requireAddressable(name: string): void {
  const problem = problemOf(name)
  if (problem === null) return
  const shown = name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name
  throw new HerderError({
    tag: 'invalid configuration',
    errors: [`Invalid value ${shown} for configuration name: ${problem}`],
  })
}

function problemOf(name: string): string | null {
  if (name.length > LENGTH_MAX) return `A connector name has at most ${LENGTH_MAX} characters, not ${name.length}`
  const [character] = /[/\\%]/.exec(name) ?? []
  if (character !== undefined) return `A connector name must not contain ${character}: no request could address it`
  return name === '.' || name === '..' ? 'A connector name must not be a path segment of dots' : null
}

/** As the name of a file or a topic. */
const LENGTH_MAX = 255
const SHOWN_MAX = 100
