import { RegexList, type Table } from '@tributary/connector-kit'

interface KeyRule {
  readonly tables: RegexList
  /** In key order. */
  readonly columns: readonly RegexList[]
}

/** `message.key.columns`: the columns that are the key of a table's events, instead of its primary key. */
export class KeyColumns {
  readonly #rules: readonly KeyRule[]

  /** @throws SyntaxError for a text that `keyColumnsRefusal` refuses */
  constructor(text: string) {
    this.#rules = partsOf(text).map((part) => {
      const colon = part.lastIndexOf(':')
      const columns = part
        .slice(colon + 1)
        .split(',')
        .map((column) => new RegexList(column))
      return { tables: new RegexList(part.slice(0, colon)), columns }
    })
  }

  /** Names of the columns in key order; null: no rule is for the table. */
  of({ id, columns }: Table): readonly string[] | null {
    const rules = this.#rules.filter(({ tables }) => tables.matches(id.toString()))
    if (rules.length === 0) return null
    const names = rules.flatMap((rule) =>
      rule.columns.flatMap((pattern) => columns.map(({ name }) => name).filter((name) => pattern.matches(name))),
    )
    return [...new Set(names)]
  }
}

/** Why a text is no value of the property; null when it is one. */
export function keyColumnsRefusal(text: string): string | null {
  for (const part of partsOf(text)) {
    if (!RULE.test(part)) {
      return `${part} has an invalid format (expecting '<fully-qualified table name>:<comma-separated key columns>')`
    }
  }
  try {
    void new KeyColumns(text)
    return null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return error.message
  }
}

const RULE = /^\s*([^:]+):([^:,]+(,[^:,]+)*)\s*$/

function partsOf(text: string): readonly string[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
