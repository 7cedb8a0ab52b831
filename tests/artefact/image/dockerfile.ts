/** An instruction of a Dockerfile with its words, or with the words of its JSON form. */
export interface Instruction {
  readonly name: string
  /** The text after the name, in one line. */
  readonly text: string
}

/** A stage: what follows a FROM. */
export interface Stage {
  readonly name: string | null
  readonly instructions: readonly Instruction[]
}

/**
 * Splits a Dockerfile into its stages. Reads only the syntax that deploy/docker/Dockerfile uses: comments, continued
 * lines, instructions; no here-documents and no parser directives.
 */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | null; instructions: Instruction[] }[] = []
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === 'FROM') {
      const [, , name = null] = instruction.text.split(/\s+/)
      stages.push({ name, instructions: [] })
    } else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line))
  const whole = lines.join('\n').replaceAll(/\\\n/g, ' ')
  return whole.split('\n').flatMap((line) => {
    const parts = /^([A-Z]+)\s+(.*)$/.exec(line.trim())
    return parts?.[1] === undefined ? [] : [{ name: parts[1], text: (parts[2] ?? '').replaceAll(/\s+/g, ' ') }]
  })
}

/** The command of an instruction in its JSON form: `ENTRYPOINT ["tributary"]`. */
export function commandOf({ instructions }: Stage, name: string): readonly string[] {
  const found = instructions.findLast((instruction) => instruction.name === name)
  const json = /\[.*\]$/.exec(found?.text ?? '')?.[0]
  if (json === undefined) throw new Error(`The Dockerfile has no ${name} in the JSON form`)
  return JSON.parse(json) as readonly string[]
}

/** The variables of all ENV instructions; references to others are replaced. */
export function environmentOf({ instructions }: Stage, base: Readonly<Record<string, string>>): Record<string, string> {
  const environment = { ...base }
  for (const { name, text } of instructions) {
    if (name !== 'ENV') continue
    for (const [, variable = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) {
      environment[variable] = value.replaceAll(/\$(\w+)/g, (_whole, other: string) => environment[other] ?? '')
    }
  }
  return environment
}
