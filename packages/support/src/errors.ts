import { inspect } from 'node:util'

/**
 * Errors that a user may see. Every one comes from a registry made by `defineErrors`, so that it has a stable code, a
 * message that names the thing, and a sentence that says what to do; the reference page is generated from the same table.
 *
 * A loop that meets an error asks one question: which of three kinds is it?
 * - `StoppedError`: somebody asked for the end; not a failure.
 * - retriable (`isRetriable`): waiting may help; the loop waits and tries again.
 * - anything else: cannot go on; the loop ends and the error is its result.
 */
export interface ErrorDefinition {
  /** What happened, with `{placeholders}`. */
  readonly message: string
  /** What the user should do about it, with `{placeholders}`. */
  readonly action: string
  /** Waiting may help. */
  readonly retriable?: boolean
  /** Class name shown before the message in a task's trace; scripts of Connect users match on it. Default: ConnectException. */
  readonly className?: string
}

type Placeholders<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never
type Values<D extends ErrorDefinition> = {
  readonly [K in Placeholders<D['message'] | D['action']>]: string | number | bigint
}

export class CodedError extends Error {
  override readonly name: string
  /** Stable, unique, upper case: what documentation and scripts refer to. */
  readonly code: string
  /** What to do about it. */
  readonly action: string
  readonly isRetriable: boolean

  constructor(code: string, definition: ErrorDefinition, values: Readonly<Record<string, unknown>>, cause?: unknown) {
    const message = fill(definition.message, values)
    const action = fill(definition.action, values)
    super(action === '' ? message : `${message} ${action}`, cause === undefined ? undefined : { cause })
    this.name = definition.className ?? 'org.apache.kafka.connect.errors.ConnectException'
    this.code = code
    this.action = action
    this.isRetriable = definition.retriable ?? false
  }
}

/** The end was asked for. */
export class StoppedError extends Error {
  override readonly name: string = 'StoppedError'
  constructor(message = 'stopped') {
    super(message)
  }
}

/** A value that is a sentence brings its full stop; the template's behind it is then left out. */
function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}(\.?)/g, (whole, name: string, stop: string) => {
    if (!(name in values)) return whole
    const value = String(values[name])
    return value.endsWith('.') ? value : value + stop
  })
}

export type ErrorRegistry<T extends Record<string, ErrorDefinition>> = {
  readonly [K in keyof T]: (values: Values<T[K]>, cause?: unknown) => CodedError
} & { readonly definitions: T }

/**
 * Makes a function per error of the table.
 *
 *     const errors = defineErrors({ TABLE_GONE: { message: 'table {table} is gone', action: 'Create it.' } })
 *     throw errors.TABLE_GONE({ table: 'a.b' })
 */
export function defineErrors<const T extends Record<string, ErrorDefinition>>(definitions: T): ErrorRegistry<T> {
  const makers: Record<string, unknown> = { definitions }
  for (const [code, definition] of Object.entries(definitions)) {
    makers[code] = (values: Record<string, unknown>, cause?: unknown) => new CodedError(code, definition, values, cause)
  }
  return makers as ErrorRegistry<T>
}

/** An error and what caused it, outermost first. Limited, because causes may go round in a circle. */
function* chainOf(error: unknown): Generator<unknown> {
  let link = error
  for (let depth = 0; depth < CAUSES_MAX && link !== undefined; depth++) {
    yield link
    link = link instanceof Error ? link.cause : undefined
  }
}

const CAUSES_MAX = 16

/** True when the error, or what caused it, says that waiting may help. The outermost error that knows decides. */
export function isRetriable(error: unknown): boolean {
  for (const link of chainOf(error)) if (link instanceof CodedError) return link.isRetriable
  return false
}

/** The error with its causes in one line: `outer: … ← inner: …`. */
export function describeError(error: unknown): string {
  const parts: string[] = []
  for (const link of chainOf(error)) {
    const text = toError(link).message || toError(link).name
    if (!parts.some((part) => part.includes(text))) parts.push(text)
  }
  return parts.join(' ← ')
}

/** Any thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(typeof thrown === 'string' ? thrown : inspect(thrown))
}
