import type { ConfigMap } from '@tributary/connect-api'
import { cliErrors } from '../errors.ts'
import type { DatabaseAddress } from './database-url.ts'

/** The properties of a connector that captures what a URL names: the login, and the lists of databases and tables. */
export function sourceProperties({ host, port, user, database, table }: DatabaseAddress, password: string): ConfigMap {
  return {
    'database.hostname': host,
    'database.port': String(port),
    'database.user': user ?? '',
    'database.password': password,
    ...(database === null ? {} : { 'database.include.list': pattern(database) }),
    ...(database === null || table === null ? {} : { 'table.include.list': pattern(`${database}.${table}`) }),
  }
}

/** A regular expression of the list that matches the name only. A comma would end it. */
function pattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|,]/g, (character) => (character === ',' ? '\\x2c' : `\\${character}`))
}

/**
 * Reads a `property=value` of `--set`.
 *
 * @param refusalOf why the command does not take a property; null: it does
 * @throws PROPERTY_SET
 */
export function readAssignment(
  text: string,
  refusalOf: (property: string) => string | null,
): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw cliErrors.PROPERTY_SET({ text, reason: 'it is not of the form property=value' })
  const property = text.slice(0, at).trim()
  const reason = refusalOf(property)
  if (reason !== null) throw cliErrors.PROPERTY_SET({ text: property, reason })
  return [property, text.slice(at + 1)]
}
