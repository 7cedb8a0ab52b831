import { CodedError } from '@tributary/support'
import { readdirSync, readFileSync } from 'node:fs'
import { DdlSyntaxError } from '../../ddl/errors.ts'
import { parseDdl } from '../../ddl/parse-statement.ts'
import { savepointOf } from '../../ddl/savepoint.ts'
import { transactionControl } from '../../ddl/transaction-control.ts'
import { MariaDbGtidSet } from '../../gtid/mariadb-gtid-set.ts'
import { MySqlGtidSet } from '../../gtid/mysql-gtid-set.ts'
import { isRangeError, type Seed, type Surface } from './surface.ts'

const seedOf = (text: string): Seed => ({ bytes: Buffer.from(text), context: [] })

/** The statements of the golden scripts. A piece of a statement serves as well. */
function statements(): readonly Seed[] {
  const folder = new URL('../../../../../fixtures/golden/scripts/', import.meta.url)
  return readdirSync(folder)
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split(/;\n/))
    .map((text) => text.replaceAll(/^--.*\n?/gm, '').trim())
    .filter((text) => text.length > 0 && text.length < 4000)
    .map(seedOf)
}

const OPTIONS = [
  { flavor: 'mysql', serverVersion: 90704, ansiQuotes: false },
  { flavor: 'mysql', serverVersion: 80400, ansiQuotes: true, noBackslashEscapes: true },
  { flavor: 'mariadb', serverVersion: 101119, ansiQuotes: false },
] as const

export const ddl: Surface = {
  name: 'statements',
  isText: true,
  seeds: statements(),
  run(input) {
    const sql = input.toString()
    savepointOf(sql)
    transactionControl(sql)
    const options = OPTIONS[input.length % OPTIONS.length]
    if (options !== undefined) parseDdl(sql, options)
  },
  isExpected: (error) => error instanceof DdlSyntaxError || error instanceof CodedError,
}

const UUID = '3e11fa47-71ca-11e1-9e33-c80aa9429562'

export const gtidSets: Surface = {
  name: 'GTID sets',
  isText: true,
  seeds: [`${UUID}:1-5:7, ${UUID}:blue:1-3:9`, `${UUID}:23`, '0-1-10,1-2-3', '0-1-18446744073709551615'].map(seedOf),
  run(input) {
    const text = input.toString()
    MySqlGtidSet.parse(text)
    MariaDbGtidSet.parse(text)
  },
  isExpected: (error) => isRangeError(error) || error instanceof SyntaxError || error instanceof CodedError,
}
