import { initialStates } from '@tributary/rest-api'
import type { InitialState } from '@tributary/rest-api'
import { JsonReader } from './json-reader.ts'
import type { JsonToken } from './json-reader.ts'
import { readRecord, readText, readTextMap } from './json-values.ts'
import type { TextMap } from './json-values.ts'

/** The body of `POST /connectors`. A missing property is null. */
export interface RegistrationDocument {
  readonly name: string | null
  readonly config: TextMap | null
  readonly initialState: InitialState | null
}

/** The Java class that Kafka Connect reads a registration into; errors name it. */
export const registrationClass = 'org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest'

/** Null when the body is empty or `null`. */
export function readRegistrationDocument(body: Buffer): RegistrationDocument | null {
  const reader = new JsonReader(body)
  return reader.document(registrationClass, (token) => {
    let name: string | null = null
    let config: TextMap | null = null
    let initialState: InitialState | null = null
    const type = { className: registrationClass, properties: ['config', 'name', 'initial_state'] }
    readRecord(reader, type, token, (property, value) => {
      if (property === 'name') name = readText(reader, value)
      else if (property === 'config') config = readTextMap(reader, value)
      else initialState = readInitialState(reader, value)
    })
    return { name, config, initialState }
  })
}

function readInitialState(reader: JsonReader, token: JsonToken): InitialState | null {
  const text = readText(reader, token)?.toUpperCase()
  if (text === undefined) return null
  const state = initialStates.find((known) => known === text)
  if (state !== undefined) return state
  const target = `${registrationClass}$InitialState`
  const problem = `No enum constant ${registrationClass}.InitialState.${text}`
  throw reader.errorAtToken(`Cannot construct instance of \`${target}\`, problem: ${problem}`)
}
