import { initialStates } from '@tributary/rest-api'
import type { InitialState } from '@tributary/rest-api'
import type { JsonError } from './json-error.ts'
import { errorAtToken, expectEnd, mismatchError, noRecordError, readText, readTextMap } from './json-mapping.ts'
import type { TextMap } from './json-mapping.ts'
import type { JsonToken } from './json-token.ts'
import type { JsonTokenizer } from './json-tokenizer.ts'

/** A registration as it was sent. What is missing and what is null is the same. */
export interface RegistrationDocument {
  readonly name: string | null
  readonly config: TextMap | null
  readonly initialState: InitialState | null
}

/** The class that a registration is read into: errors name it. */
export const registrationClass = 'org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest'

type Property = 'name' | 'config' | 'initial_state'

/** Reads a document that is one registration. Null where there is none: white space alone, or `null`. */
export function readRegistrationDocument(tokenizer: JsonTokenizer): RegistrationDocument | null {
  const first = tokenizer.next()
  if (first === null) return null
  if (first !== 'START_OBJECT' && first !== 'VALUE_NULL') throw noRecordError(tokenizer, registrationClass, first)
  const document = first === 'VALUE_NULL' ? null : new RegistrationReader(tokenizer).read()
  expectEnd(tokenizer, registrationClass)
  return document
}

/**
 * Reads the properties of a registration in the way in which Jackson fills a record. It builds the record when it has
 * read all three properties, which decides over what is wrong with the rest:
 * - before that, an unknown property is put aside and reported when the record is built or the object ends, and of a
 *   property given twice the last value is taken;
 * - after that, an unknown property is reported at once, and one given again cannot be set any more.
 */
class RegistrationReader {
  readonly #tokenizer: JsonTokenizer
  readonly #seen = new Set<Property>()
  #name: string | null = null
  #config: TextMap | null = null
  #initialState: InitialState | null = null
  #unknownName: string | null = null

  constructor(tokenizer: JsonTokenizer) {
    this.#tokenizer = tokenizer
  }

  /** Reads up to and with the end of the object, whose beginning was just read. */
  read(): RegistrationDocument {
    const tokenizer = this.#tokenizer
    let token = tokenizer.next()
    while (token === 'FIELD_NAME') {
      const isBuilt = this.#seen.size === 3
      const { name } = tokenizer
      const value = tokenizer.next()
      if (value === null) break
      if (isBuilt) throw this.#lateError(name)
      this.#readProperty(name, value)
      token = tokenizer.next()
      if (this.#seen.size === 3) this.#refuseUnknown()
    }
    this.#refuseUnknown()
    return { name: this.#name, config: this.#config, initialState: this.#initialState }
  }

  #readProperty(name: string, value: JsonToken): void {
    const tokenizer = this.#tokenizer
    if (!isProperty(name)) {
      this.#unknownName ??= name
      tokenizer.readOver(value)
      return
    }
    const { references } = tokenizer.input
    references.push(referenceTo(name))
    if (name === 'name') this.#name = readText(tokenizer, value)
    else if (name === 'config') this.#config = readTextMap(tokenizer, value)
    else this.#initialState = readInitialState(tokenizer, value)
    references.pop()
    this.#seen.add(name)
  }

  #refuseUnknown(): void {
    if (this.#unknownName !== null) throw this.#unknownError(this.#unknownName)
  }

  #unknownError(name: string): JsonError {
    const { input } = this.#tokenizer
    input.references.push(referenceTo(name))
    const known = '3 known properties: "config", "name", "initial_state"'
    const problem = `Unrecognized field "${name}" (class ${registrationClass}), not marked as ignorable (${known})`
    return input.error(problem, input.position)
  }

  #lateError(name: string): JsonError {
    if (!isProperty(name)) return this.#unknownError(name)
    const { input } = this.#tokenizer
    input.references.push(referenceTo(name))
    return name === 'config'
      ? input.error(`Should never call \`set()\` on setterless property ('${name}')`)
      : input.error(`No fallback setter/field defined for creator property '${name}' (of \`${registrationClass}\`)`)
  }
}

function readInitialState(tokenizer: JsonTokenizer, token: JsonToken): InitialState | null {
  const target = `${registrationClass}$InitialState`
  if (token === 'START_OBJECT') throw mismatchError(tokenizer, target, token)
  if (token === 'START_ARRAY') {
    const creator = `properties-based \`@JsonCreator\` ([method ${target}#forValue(java.lang.String)])`
    const problem = `${creator} expects String Value, got Array value (\`JsonToken.${token}\`)`
    throw errorAtToken(tokenizer, `Input mismatch reading Enum \`${target}\`: ${problem}`)
  }
  const text = readText(tokenizer, token)?.toUpperCase()
  if (text === undefined) return null
  const state = initialStates.find((known) => known === text)
  if (state !== undefined) return state
  const problem = `No enum constant ${registrationClass}.InitialState.${text}`
  throw errorAtToken(tokenizer, `Cannot construct instance of \`${target}\`, problem: ${problem}`)
}

function isProperty(name: string): name is Property {
  return name === 'name' || name === 'config' || name === 'initial_state'
}

function referenceTo(name: string): string {
  return `${registrationClass}["${name}"]`
}
