import type { TaskSignal } from '@tributary/connect-api'
import { randomUUID } from 'node:crypto'
import { RequestError } from './request-error.ts'

/** The body of `POST …/signals`. */
export function readSignalRequest(body: Buffer): TaskSignal {
  const document = parse(body)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new RequestError(400, `The body is not a JSON object with the members "id", "type" and "data"`)
  }
  const unknown = Object.keys(document).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) {
    throw new RequestError(400, `Unknown member ${JSON.stringify(unknown.slice(0, 100))}: use "id", "type" and "data"`)
  }
  const { id, type, data } = document as Readonly<Record<string, unknown>>
  return { id: idOf(id), type: typeOf(type), data: dataOf(data) }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw new RequestError(400, `The body is not JSON: ${error instanceof Error ? error.message : ''}`, error)
  }
}

function idOf(id: unknown): string {
  if (id === undefined || id === null) return randomUUID()
  if (typeof id !== 'string' || id === '' || id.length > ID_CHARACTERS_MAX) {
    throw new RequestError(400, `"id" is not a text of 1 to ${ID_CHARACTERS_MAX} characters`)
  }
  return id
}

function typeOf(type: unknown): string {
  if (typeof type === 'string' && type !== '') return type
  throw new RequestError(400, '"type" is missing: use a type of a signal, such as "execute-snapshot"')
}

function dataOf(data: unknown): string {
  if (data === undefined || data === null) return ''
  if (typeof data === 'string') return data
  if (typeof data === 'object' && !Array.isArray(data)) return JSON.stringify(data)
  throw new RequestError(400, '"data" is not an object, and not a text that contains one')
}

const MEMBERS: readonly string[] = ['id', 'type', 'data']
/** Ids of the last signals are in each stored offset. */
const ID_CHARACTERS_MAX = 64
