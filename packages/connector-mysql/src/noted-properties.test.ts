import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlKind } from './connector-kind.ts'
import { notedProperties } from './noted-properties.ts'

test('options of the JDBC driver are reported as such, but for those that have a meaning here', () => {
  const config = {
    'driver.connectTimeout': '5000',
    'driver.allowPublicKeyRetrieval': 'true',
    'table.includes.list': 'a.b',
    'gtid.source.excludes': 'x',
    'inconsistent.schema.handling.mode': 'warn',
    'table.ignore.builtin': 'false',
  }
  assert.deepEqual(
    notedProperties(mysqlKind, config).map(({ name, reason }) => `${name} ${reason}`),
    [
      'driver.connectTimeout has no effect: it is a setting of the JDBC driver, which Tributary does not use. database.ssl.mode decides about encryption, database.initial.statements about the session',
      'table.includes.list is not known and has no effect. Did you mean table.include.list?',
    ],
  )
})
