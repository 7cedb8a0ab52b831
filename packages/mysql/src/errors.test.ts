import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRetriable } from '@tributary/support'
import { loginError, queryError } from './errors.ts'

const CONTEXT = { address: 'db:3306', tlsMode: 'disabled', doing: 'asking' }

function serverError(errno: number, message: string): Error {
  return Object.assign(new Error(message), { errno, sqlState: 'HY000' })
}

test('temporary errors of login and statements are retriable, refusals are not', () => {
  // Messages of MySQL 9.7, and of MariaDB 10.11 with Galera.
  const table: readonly (readonly [errno: number, message: string, isTemporary: boolean])[] = [
    [1040, 'Too many connections', true],
    [3032, 'The server is currently in offline mode', true],
    [1047, 'WSREP has not yet prepared node for application use', true],
    [1047, 'Unknown command', false],
    [1045, "Access denied for user 'u'@'h' (using password: YES)", false],
    [1142, "SELECT command denied to user 'u'@'h' for table 't'", false],
  ]
  for (const [errno, message, isTemporary] of table) {
    assert.equal(isRetriable(loginError(serverError(errno, message), CONTEXT)), isTemporary, `login: ${message}`)
    assert.equal(isRetriable(queryError(serverError(errno, message), 'SELECT 1', CONTEXT)), isTemporary, message)
  }
})
