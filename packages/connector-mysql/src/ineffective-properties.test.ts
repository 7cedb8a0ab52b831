import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlKind } from './connector-kind.ts'
import { ineffectiveProperties } from './ineffective-properties.ts'

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
    ineffectiveProperties(mysqlKind, config).map(({ name, reason }) => `${name} ${reason}`),
    [
      'driver.connectTimeout is an option of the JDBC driver and has no effect: Tributary has a client of its own',
      'table.includes.list is not known and has no effect. Did you mean table.include.list?',
    ],
  )
})
