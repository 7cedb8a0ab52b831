import type { LogFields, Logger } from '@tributary/support'

/** Replaces secrets of the configuration itself, as in Kafka. */
const HIDDEN = '[hidden]'

interface Form {
  readonly text: string
  readonly shownAs: string
  /** Whether it is also replaced within a word. */
  readonly isFree: boolean
}

/**
 * Replaces secrets in texts for people: values of references by the references, and secrets of the configuration itself
 * by `[hidden]`. Messages may contain a value trimmed, quoted or in parts, so these forms are replaced too.
 */
export class SecretMask {
  /** Longest first, because a long value may contain a short one. */
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

  /** A mask for the secrets of both. */
  with(other: SecretMask): SecretMask {
    return new SecretMask(new Map([...this.#values, ...other.#values]), [...this.#clear, ...other.#clear])
  }

  text(text: string): string {
    let masked = text
    for (const { text: form, shownAs, isFree } of this.#forms) {
      if (masked.includes(form)) masked = masked.replaceAll(isFree ? form : wholeWord(form), () => shownAs)
    }
    return masked
  }

  /** A logger that masks its lines. */
  logger(logger: Logger): Logger {
    if (this.#forms.length === 0) return logger
    const mask = (fields: LogFields | undefined): LogFields | undefined => fields && this.#fields(fields)
    return {
      outages: logger.outages,
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

/** Limit for the chain of causes, which may be circular. */
const CAUSES_MAX = 8
/** Shorter values are replaced only as whole words: `1` is part of too many texts. */
const FREE_LENGTH_MIN = 4
/**
 * The same limit for secrets in configurations. It is larger, because people choose words, which are part of other
 * words.
 */
const CLEAR_FREE_LENGTH_MIN = 12
/** Shorter parts of a value reveal nothing about it and are not masked. */
const PART_LENGTH_MIN = 6
/** Words of the grammar of `sasl.jaas.config`, which are no secrets and occur in many messages. */
const GRAMMAR = /^(required|requisite|sufficient|optional|username|password|.*LoginModule)$/

function partsOf(value: string): readonly string[] {
  return value.split(/[\s,;="']+/).filter((part) => part.length >= PART_LENGTH_MIN && !GRAMMAR.test(part))
}

/** The values themselves, as in JSON, and as in a URL. */
function formsOf(plain: readonly string[]): readonly string[] {
  const quoted = plain.map((form) => JSON.stringify(form).slice(1, -1))
  const encoded = plain.slice(0, 2).map((form) => encodeURIComponent(form.toWellFormed()))
  return [...new Set([...plain, ...quoted, ...encoded])].filter((form) => form !== '')
}

function wholeWord(form: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(form)}(?![\\p{L}\\p{N}_])`, 'gu')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
