import type { SchemaLanguage } from '../registry/schema-language.ts'

/**
 * Protobuf. The fields are compared line by line, with their message: each line of Confluent's canonical text is one
 * field. Comments, options and the order of lines are not compared.
 */
export const protobufLanguage: SchemaLanguage = {
  type: 'PROTOBUF',
  name: 'Protobuf',
  differences(registered, schema) {
    const [before, after] = [fieldsOf(registered), fieldsOf(schema)]
    const removed = [...before].filter((field) => !after.has(field)).map((field) => `${field} was removed`)
    const added = [...after].filter((field) => !before.has(field)).map((field) => `${field} is new`)
    return [...removed, ...added].slice(0, DIFFERENCES_MAX)
  },
}

/** More differences do not help the reader of the message. */
const DIFFERENCES_MAX = 8

/** Returns each field with the path of its message: `Envelope.Value: int32 id = 1`. @throws SyntaxError */
function fieldsOf(text: string): ReadonlySet<string> {
  if (!/^\s*syntax\s*=\s*"proto[23]"/.test(text)) throw new SyntaxError('it does not begin with the syntax')
  const fields = new Set<string>()
  const path: string[] = []
  let depthOfOption = 0
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (depthOfOption > 0) {
      depthOfOption += count(line, /[[{]/g) - count(line, /[\]}]/g)
      continue
    }
    const message = /^(?:message|enum|oneof)\s+(\w+)\s*\{(\s*\})?/.exec(line)
    const field = /^((?:optional|repeated)\s+)?[\w.<>, ]+\s+\w+\s*=\s*\d+/.exec(line)
    if (message !== null && message[2] === undefined) path.push(message[1] ?? '')
    else if (field !== null && !line.startsWith('option ')) {
      fields.add(`${path.join('.')}: ${field[0].replaceAll(/\s+/g, ' ')}`)
      depthOfOption = count(line, /[[{]/g) - count(line, /[\]}]/g)
    } else if (line === '}') path.pop()
  }
  return fields
}

function count(line: string, pattern: RegExp): number {
  return line.match(pattern)?.length ?? 0
}
