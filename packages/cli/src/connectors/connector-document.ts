import { describeError } from '@tributary/support'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { cliErrors } from '../errors.ts'

/** A connector as its file describes it. The values are unchecked: the service validates them. */
export interface ConnectorDocument {
  readonly name: string
  readonly config: Readonly<Record<string, unknown>>
  /** RUNNING, PAUSED or STOPPED; undefined when the file does not set it. */
  readonly initialState: unknown
}

export interface NameOptions {
  /** The name of the command line. A file with another name is an error. */
  readonly name?: string | undefined
  /** The name for a file without one. */
  readonly fallbackName?: string
}

/**
 * Reads a connector from a file, or from standard input if the file is `-`. The document is
 * `{"name": …, "config": {…}}`, or the properties alone, with the name in `--name` or in their property `name`.
 *
 * @throws CONNECTOR_DOCUMENT, FILE_MISSING
 */
export async function readConnectorDocument(
  file: string,
  { name, fallbackName }: NameOptions,
): Promise<ConnectorDocument> {
  const invalid = (reason: string, cause?: unknown): Error =>
    cliErrors.CONNECTOR_DOCUMENT({ file: shownFile(file), reason }, cause)
  const document = parse(await read(file, invalid), invalid)
  const { name: own, config, initial_state: initialState } = document
  const isWrapped = isObject(config)
  const properties = isWrapped ? config : document
  const found = name ?? own ?? properties['name'] ?? fallbackName
  if (typeof found !== 'string' || found === '') throw invalid('it has no name')
  if (isWrapped && name !== undefined && typeof own === 'string' && own !== name) {
    throw invalid(`it is named ${own}, not ${name}`)
  }
  return { name: found, config: properties, initialState: isWrapped ? initialState : undefined }
}

/** A file as messages name it. */
export function shownFile(file: string): string {
  return file === '-' ? 'standard input' : file
}

type Refuse = (reason: string, cause?: unknown) => Error

async function read(file: string, invalid: Refuse): Promise<string> {
  try {
    return file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw cliErrors.FILE_MISSING({ path: resolve(file) }, error)
    }
    throw invalid(`it cannot be read (${describeError(error)})`, error)
  }
}

function parse(text: string, invalid: Refuse): Readonly<Record<string, unknown>> {
  let document: unknown
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // The parser's message quotes the text around the fault, which may contain a password.
    throw invalid(text.trim() === '' ? 'it is empty' : `it is not JSON${placeOfFault(text)}`)
  }
  if (!isObject(document)) throw invalid('it is JSON, but not an object')
  return document
}

/** Where the parser stopped, as ` (line 3, column 5)`. */
function placeOfFault(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    const position = /at position (\d+)/.exec(describeError(error))?.[1]
    const before = position === undefined ? text : text.slice(0, Number(position))
    const lines = before.split('\n')
    return ` (line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1})`
  }
  return ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
