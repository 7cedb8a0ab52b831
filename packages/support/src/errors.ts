import { inspect } from 'node:util'

/**
 * Errors that a user may see. Every one is defined in a registry of `defineErrors`: it has a stable code, a message
 * that names the object, and a sentence with what to do. The reference page is generated from the same table.
 *
 * A loop distinguishes three kinds of errors:
 * - `StoppedError`: a stop was requested; not a failure.
 * - retriable (`isRetriable`): the loop waits and retries.
 * - any other: the loop ends with the error as its result. The worker restarts a task later if the error is recoverable
 *   (`isRecoverable`); otherwise somebody has to act.
 */
export interface ErrorDefinition {
  /** What happened, with `{placeholders}`. */
  readonly message: string
  /** What the user should do about it, with `{placeholders}`. */
  readonly action: string
  /** Whether a retry may succeed soon: the code that gets the error repeats its call. Default: false. */
  readonly retriable?: boolean
  /**
   * Whether a task that failed with it may succeed when it is started again later, though nobody changes its
   * configuration: the cause is elsewhere and may be corrected there, as a grant, a password, a certificate, a quota or
   * a setting of a server. `cause`: the error only adds a place to its cause, which decides. Default: as `retriable`.
   */
  readonly recoverable?: boolean | 'cause'
  /**
   * The class name before the message in a task's trace, which scripts of Connect users match. Default:
   * ConnectException.
   */
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
  /** Stable, unique, upper case; documentation and scripts refer to it. */
  readonly code: string
  /** What to do about it. */
  readonly action: string
  readonly isRetriable: boolean
  /** See `ErrorDefinition.recoverable`. */
  readonly recoverable: boolean | 'cause'
  readonly #text: string

  constructor(code: string, definition: ErrorDefinition, values: Readonly<Record<string, unknown>>, cause?: unknown) {
    const message = fill(definition.message, values)
    const action = fill(definition.action, values)
    super(action === '' ? message : `${message} ${action}`, cause === undefined ? undefined : { cause })
    this.name = definition.className ?? 'org.apache.kafka.connect.errors.ConnectException'
    this.code = code
    this.action = action
    this.isRetriable = definition.retriable ?? false
    this.recoverable = definition.recoverable ?? this.isRetriable
    this.#text = message
  }

  /** The message without the action. */
  get text(): string {
    return this.#text
  }
}

/** A stop was requested. */
export class StoppedError extends Error {
  override readonly name: string = 'StoppedError'
  constructor(message = 'stopped') {
    super(message)
  }
}

/** Fills in the placeholders. A value that ends with a full stop replaces the one after its placeholder. */
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
 * Defines a registry: a function for each error of the table.
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

/** An error and its causes, outermost first. Limited, because the chain of causes may be a cycle. */
function* chainOf(error: unknown): Generator<unknown> {
  let link = error
  for (let depth = 0; depth < CAUSES_MAX && link !== undefined; depth++) {
    yield link
    link = link instanceof Error ? link.cause : undefined
  }
}

const CAUSES_MAX = 16

/** Whether a retry may succeed: decided by the outermost coded error in the chain of causes; false without one. */
export function isRetriable(error: unknown): boolean {
  for (const link of chainOf(error)) if (link instanceof CodedError) return link.isRetriable
  return false
}

/**
 * Whether a task that failed with this error may succeed when it is started again later, without another configuration:
 * decided by the outermost coded error that does not leave it to its cause; false without one.
 */
export function isRecoverable(error: unknown): boolean {
  const decisive = decisiveError(error)
  return decisive !== null && decisive.recoverable === true
}

/** An error as an operator reads it. */
export interface Problem {
  /** The code of the error that decides how the task continues; null: the error has no code. */
  readonly code: string | null
  readonly message: string
  /** The action that the error recommends; null: unknown. */
  readonly action: string | null
}

export function problemOf(error: unknown): Problem {
  const outer = toError(error)
  const decisive = decisiveError(error)
  const message = outer instanceof CodedError ? outer.text : describeError(outer)
  const action = decisive?.action ?? (outer instanceof CodedError ? outer.action : '')
  return {
    code: decisive?.code ?? (outer instanceof CodedError ? outer.code : null),
    message,
    action: action === '' ? null : action,
  }
}

function decisiveError(error: unknown): CodedError | null {
  for (const link of chainOf(error)) {
    if (link instanceof CodedError && link.recoverable !== 'cause') return link
  }
  return null
}

/** The messages of an error and its causes in one line: `outer ← inner`. */
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
