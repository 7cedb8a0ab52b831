/** A value of a document; undefined leaves its member out. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined }

/**
 * Prints a JSON document in the layout of history records: one member per line, indented by two blanks per object, a
 * blank on both sides of the colon, the elements of an array on one line. Members that are undefined are left out.
 *
 *     {
 *       "columns" : [ {
 *         "name" : "id"
 *       } ],
 *       "attributes" : [ ]
 *     }
 */
export function prettyJson(value: JsonValue): string {
  return print(value, '\n')
}

/** @param lineStart line feed and the indentation of the object around the value */
function print(value: JsonValue, lineStart: string): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return isArray(value) ? printArray(value, lineStart) : printObject(value, lineStart)
  }
}

function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function printArray(values: readonly JsonValue[], lineStart: string): string {
  return values.length === 0 ? '[ ]' : `[ ${values.map((value) => print(value, lineStart)).join(', ')} ]`
}

function printObject(object: { readonly [name: string]: JsonValue | undefined }, lineStart: string): string {
  const inner = `${lineStart}  `
  const members: string[] = []
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) members.push(`${inner}${quote(name)} : ${print(value, inner)}`)
  }
  return members.length === 0 ? '{ }' : `{${members.join(',')}${lineStart}}`
}

/** Unlike JSON.stringify: hexadecimal digits of escapes are capitals, and lone surrogates are not escaped. */
function quote(text: string): string {
  const quoted = JSON.stringify(text)
  // Most are names without escapes, and writes to a database may wait for thousands of definitions.
  if (!quoted.includes('\\')) return quoted
  return quoted.replaceAll(/\\u([0-9a-f]{4})|\\\\/g, (escape, digits: string | undefined) => {
    if (digits === undefined) return escape
    const unit = Number.parseInt(digits, 16)
    return unit < 0x20 ? `\\u${digits.toUpperCase()}` : String.fromCharCode(unit)
  })
}
