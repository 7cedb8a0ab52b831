import { describeError } from '@tributary/support'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { cliErrors } from '../errors.ts'
import type { ConnectorDocument, FormDocument, FormName } from './connector-document.ts'
import { formOf } from './detect-form.ts'
import { FormError, placeAt } from './form-error.ts'
import { readJson } from './json-form.ts'
import { CONNECTORS_MAX, FILE_BYTES_MAX } from './limits.ts'
import { readPropertiesForm } from './properties-form.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ReadOptions {
  /** The name of the command line. A file with another name is an error. */
  readonly name?: string | undefined
  /** The name for a file without one. */
  readonly fallbackName?: string
  /** Where the variables of Terraform are. */
  readonly environment: Environment
}

/**
 * Reads the connectors of a file, or of standard input if the file is `-`: at least one.
 *
 * @throws CONNECTOR_DOCUMENT, FILE_MISSING
 */
export async function readConnectorDocuments(
  file: string,
  options: ReadOptions,
): Promise<readonly ConnectorDocument[]> {
  let text = ''
  try {
    const bytes = await read(file)
    // The form of a file without an ending shows in ASCII characters.
    const form = formOf(file, bytes.toString('latin1'))
    text = decode(bytes, form)
    if (text.trim() === '') throw new FormError('it is empty')
    const found = await readForm(form, text, options.environment)
    return named(found, form, options)
  } catch (error) {
    if (!(error instanceof FormError)) throw error
    const place = error.at === null ? null : placeAt(text, error.at)
    const where = place === null ? '' : ` (line ${place.line}, column ${place.column})`
    throw cliErrors.CONNECTOR_DOCUMENT({ file: shownFile(file), reason: error.message + where }, error)
  }
}

/** A file as messages name it. */
export function shownFile(file: string): string {
  return file === '-' ? 'standard input' : file
}

async function read(file: string): Promise<Buffer> {
  // Standard input and pipes have no size, so that only what was read is counted.
  const stream: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > FILE_BYTES_MAX) throw new FormError(`it has more than ${FILE_BYTES_MAX} bytes`)
    }
  } catch (error) {
    if (error instanceof FormError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw cliErrors.FILE_MISSING({ path: resolve(file) }, error)
    }
    throw new FormError(`it cannot be read (${describeError(error)})`, null, { cause: error })
  }
  return Buffer.concat(chunks)
}

/** All forms are UTF-8. Files of properties may also be ISO-8859-1, as Java reads them. */
function decode(bytes: Buffer, form: FormName): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (form === 'properties') return bytes.toString('latin1')
    throw new FormError('it is not UTF-8', null, { cause: error })
  }
}

/** The readers of rarer forms are loaded when they are needed. */
async function readForm(form: FormName, text: string, environment: Environment): Promise<readonly FormDocument[]> {
  switch (form) {
    case 'json':
      return readJson(text)
    case 'properties':
      return readPropertiesForm(text)
    case 'yaml':
      return (await import('./yaml-form.ts')).readYaml(text)
    case 'ksqldb':
      return (await import('./ksql-form.ts')).readKsql(text)
    case 'terraform':
      return (await import('./terraform-form.ts')).readTerraform(text, environment)
  }
}

function named(
  found: readonly FormDocument[],
  form: FormName,
  { name, fallbackName }: ReadOptions,
): readonly ConnectorDocument[] {
  if (found.length === 0) throw new FormError('it has no connector')
  if (found.length > CONNECTORS_MAX) throw new FormError(`it has more than ${CONNECTORS_MAX} connectors`)
  if (found.length > 1 && name !== undefined)
    throw new FormError(`it has ${found.length} connectors, not one named ${name}`)
  const names = new Set<string>()
  return found.map((document) => {
    const { name: own, config, initialState, isOnlyForNew = false, isNameFixed = false, notes = [] } = document
    if (isNameFixed && name !== undefined && own !== name) throw new FormError(`it is named ${own}, not ${name}`)
    const chosen = name ?? own ?? fallbackName
    if (chosen === undefined || chosen === '') throw new FormError('it has no name')
    if (names.has(chosen)) throw new FormError(`it has several connectors named ${chosen}`)
    names.add(chosen)
    return { name: chosen, config, initialState, form, isOnlyForNew, notes }
  })
}
