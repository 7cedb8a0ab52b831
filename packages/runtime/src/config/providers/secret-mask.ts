import type { LogFields, Logger } from '@tributary/support'

/**
 * Replaces the values of references by the references, in texts that people see. Values may come out of a check trimmed, in parts
 * or quoted: such forms are replaced too.
 */
export class SecretMask {
  /** References by what they must not show as, longest first: a short value may stand inside of a long one. */
  readonly #forms: readonly (readonly [form: string, reference: string])[]
  readonly #values: ReadonlyMap<string, string>

  constructor(valuesByReference: ReadonlyMap<string, string>) {
    this.#values = valuesByReference
    const forms = new Map<string, string>()
    for (const [reference, value] of valuesByReference) {
      for (const form of formsOf(value)) if (!forms.has(form)) forms.set(form, reference)
    }
    this.#forms = [...forms].toSorted(([a], [b]) => b.length - a.length)
  }

  /** Masks the values of both. */
  with(other: SecretMask): SecretMask {
    return new SecretMask(new Map([...this.#values, ...other.#values]))
  }

  text(text: string): string {
    let masked = text
    for (const [form, reference] of this.#forms) {
      if (!masked.includes(form)) continue
      masked =
        form.length < FREE_LENGTH_MIN
          ? masked.replaceAll(standingAlone(form), () => reference)
          : masked.replaceAll(form, () => reference)
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

  /** The error and what caused it, for the log; the original stays as it is. */
  error(error: Error, depth = 0): Error {
    if (this.#forms.length === 0) return error
    const options =
      error.cause instanceof Error && depth < CAUSES_MAX ? { cause: this.error(error.cause, depth + 1) } : {}
    const masked = new Error(this.text(error.message), options)
    masked.name = error.name
    if (error.stack !== undefined) masked.stack = this.text(error.stack)
    return masked
  }
}

/** Causes may go round in a circle. */
const CAUSES_MAX = 8
/** Shorter forms are replaced only where no letter or digit stands beside them: `1` is part of too much. */
const FREE_LENGTH_MIN = 4
/** Parts of a value that are shorter tell nothing of it. */
const PART_LENGTH_MIN = 6

function formsOf(value: string): readonly string[] {
  const parts = value.split(/[\s,;="']+/).filter((part) => part.length >= PART_LENGTH_MIN)
  const plain = [value, value.trim(), ...parts]
  const quoted = plain.map((form) => JSON.stringify(form).slice(1, -1))
  return [...new Set([...plain, ...quoted, encodeURIComponent(value.trim().toWellFormed())])].filter(
    (form) => form !== '',
  )
}

function standingAlone(form: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(form)}(?![\\p{L}\\p{N}_])`, 'gu')
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
