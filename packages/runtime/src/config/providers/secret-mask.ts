import type { LogFields, Logger } from '@tributary/support'

/** What a clear secret shows as: Kafka's own word. */
const HIDDEN = '[hidden]'

interface Form {
  readonly text: string
  readonly shownAs: string
  /** Replaced also inside of words. */
  readonly isFree: boolean
}

/**
 * Replaces secrets in texts that people see: the values of references by the references, those that stand in a configuration
 * itself by `[hidden]`. Values may come out of a check trimmed, in parts or quoted: such forms are replaced too.
 */
export class SecretMask {
  /** Longest first: a short value may stand inside of a long one. */
  readonly #forms: readonly Form[]
  readonly #values: ReadonlyMap<string, string>
  readonly #clear: readonly string[]

  constructor(valuesByReference: ReadonlyMap<string, string>, clear: readonly string[] = []) {
    this.#values = valuesByReference
    this.#clear = clear
    const forms = new Map<string, Form>()
    const add = (text: string, shownAs: string, freeLengthMin: number): void => {
      if (!forms.has(text)) forms.set(text, { text, shownAs, isFree: text.length >= freeLengthMin })
    }
    for (const [reference, value] of valuesByReference) {
      for (const form of formsOf([value, value.trim(), ...partsOf(value)])) add(form, reference, FREE_LENGTH_MIN)
    }
    for (const value of clear) {
      for (const form of formsOf([value, value.trim()])) add(form, HIDDEN, CLEAR_FREE_LENGTH_MIN)
    }
    this.#forms = [...forms.values()].toSorted((a, b) => b.text.length - a.text.length)
  }

  /** Masks the values of both. */
  with(other: SecretMask): SecretMask {
    return new SecretMask(new Map([...this.#values, ...other.#values]), [...this.#clear, ...other.#clear])
  }

  text(text: string): string {
    let masked = text
    for (const { text: form, shownAs, isFree } of this.#forms) {
      if (masked.includes(form)) masked = masked.replaceAll(isFree ? form : standingAlone(form), () => shownAs)
    }
    return masked
  }

  /** A logger whose lines show no value. */
  logger(logger: Logger): Logger {
    if (this.#forms.length === 0) return logger
    const mask = (fields: LogFields | undefined): LogFields | undefined => fields && this.#fields(fields)
    return {
      debug: (message, fields) => logger.debug(this.text(message), mask(fields)),
      info: (message, fields) => logger.info(this.text(message), mask(fields)),
      warn: (message, fields) => logger.warn(this.text(message), mask(fields)),
      error: (message, fields) => logger.error(this.text(message), mask(fields)),
      child: (fields) => this.logger(logger.child(this.#fields(fields))),
    }
  }

  #fields(fields: LogFields): LogFields {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, this.#value(value)]))
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    return value instanceof Error ? this.error(value) : value
  }

  /** A copy of the error and its causes with masked texts, for the log. It keeps the code, but not the class. */
  error(error: Error, depth = 0): Error {
    if (this.#forms.length === 0) return error
    const options =
      error.cause instanceof Error && depth < CAUSES_MAX ? { cause: this.error(error.cause, depth + 1) } : {}
    const masked = new Error(this.text(error.message), options)
    masked.name = error.name
    if (error.stack !== undefined) masked.stack = this.text(error.stack)
    return 'code' in error ? Object.assign(masked, { code: error.code }) : masked
  }
}

/** Causes may go round in a circle. */
const CAUSES_MAX = 8
/** Shorter forms are replaced only where no letter or digit stands beside them: `1` is part of too much. */
const FREE_LENGTH_MIN = 4
/** Passwords that people write into configurations are words: inside of another word such a one is none. */
const CLEAR_FREE_LENGTH_MIN = 12
/** Parts of a value that are shorter tell nothing of it. */
const PART_LENGTH_MIN = 6
/** Words of the grammar of `sasl.jaas.config`: no secret, and part of many a message. */
const GRAMMAR = /^(required|requisite|sufficient|optional|username|password|.*LoginModule)$/

function partsOf(value: string): readonly string[] {
  return value.split(/[\s,;="']+/).filter((part) => part.length >= PART_LENGTH_MIN && !GRAMMAR.test(part))
}

/** As they are, in JSON, and in a URL. */
function formsOf(plain: readonly string[]): readonly string[] {
  const quoted = plain.map((form) => JSON.stringify(form).slice(1, -1))
  const encoded = plain.slice(0, 2).map((form) => encodeURIComponent(form.toWellFormed()))
  return [...new Set([...plain, ...quoted, ...encoded])].filter((form) => form !== '')
}

function standingAlone(form: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(form)}(?![\\p{L}\\p{N}_])`, 'gu')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
