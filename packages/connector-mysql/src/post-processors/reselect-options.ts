import type { ConfigMap } from '@tributary/connect-api'
import { RegexList } from '@tributary/connector-kit'

/** The options of `ReselectColumnsPostProcessor`. */
export interface ReselectOptions {
  /** `database.table:column` of the columns that are read again; null: of all except `excluded`. */
  readonly included: RegexList | null
  readonly excluded: RegexList
  readonly nullValues: boolean
  readonly unavailableValues: boolean
  /** True: the row is found by the key of the event; false: by the primary key of the table. */
  readonly usesEventKey: boolean
  /** What to do when a row cannot be read or no longer exists: fail the task, or keep the value with a warning. */
  readonly onError: 'warn' | 'fail'
}

export const INCLUDE = 'reselect.columns.include.list'
export const EXCLUDE = 'reselect.columns.exclude.list'
export const ON_ERROR = 'reselect.error.handling.mode'
const NULLS = 'reselect.null.values'
const UNAVAILABLE = 'reselect.unavailable.values'
const EVENT_KEY = 'reselect.use.event.key'

export const reselectOptionNames: readonly string[] = [INCLUDE, EXCLUDE, NULLS, UNAVAILABLE, EVENT_KEY, ON_ERROR]

/** @throws SyntaxError for a list that is not one of regular expressions */
export function reselectOptions(options: ConfigMap): ReselectOptions {
  const included = new RegexList(options[INCLUDE] ?? '')
  return {
    included: included.isEmpty ? null : included,
    excluded: new RegexList(options[EXCLUDE] ?? ''),
    nullValues: booleanOf(options[NULLS], true),
    unavailableValues: booleanOf(options[UNAVAILABLE], true),
    usesEventKey: booleanOf(options[EVENT_KEY], false),
    onError: options[ON_ERROR]?.trim().toLowerCase() === 'fail' ? 'fail' : 'warn',
  }
}

/** Whether a column, as `database.table:column`, may be read again. */
export function isReselected({ included, excluded }: ReselectOptions, name: string): boolean {
  return included === null ? !excluded.matches(name) : included.matches(name)
}

/** As in Debezium, any other text is the default. */
function booleanOf(text: string | undefined, byDefault: boolean): boolean {
  const value = text?.trim().toLowerCase()
  return value === 'true' || (value === 'false' ? false : byDefault)
}
