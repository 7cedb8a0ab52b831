import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classOfServer } from '@tributary/connector-mysql'
import { describeError } from '@tributary/support'
import { freePort } from '@tributary/testkit'
import { tailConfig } from '../tail/tail-config.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { inUrlTerms } from './url-terms.ts'

test('an error about the address of the database names the URL, not properties', async () => {
  const address = parseDatabaseUrl(`mysql://u@127.0.0.1:${await freePort()}/db`)
  const config = tailConfig({ address, password: 'p', format: 'json', snapshot: false, set: [] })

  const error: unknown = await classOfServer(config, new AbortController().signal).then(
    () => null,
    (thrown: unknown) => thrown,
  )

  const text = inUrlTerms(describeError(error))
  assert.match(text, /Check the host and the port in the URL, that the server runs/)
  assert.doesNotMatch(text, /database\./)
})
