import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountName } from './account.ts'
import { Grants } from './grants.ts'

// Printed by MySQL 9.7.4 and MariaDB 10.11.19.
const mysqlOwn = [
  'GRANT USAGE ON *.* TO `p1`@`%`',
  'GRANT LOCK TABLES, CREATE ROUTINE ON `inv`.* TO `p1`@`%`',
  String.raw`GRANT INSERT ON ${'`'}a\_b${'`'}.* TO ${'`'}p1${'`'}@${'`'}%${'`'}`,
  'GRANT SELECT (`id`) ON `inv`.`t` TO `p1`@`%`',
  'GRANT `cdc`@`%` TO `p1`@`%`',
]
const mysqlWithRole = [
  'GRANT SELECT, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO `p1`@`%`',
  ...mysqlOwn.slice(1),
]
const mariadbOwn = [
  'GRANT `cdc` TO `p1`@`%`',
  "GRANT USAGE ON *.* TO `p1`@`%` IDENTIFIED BY PASSWORD '*B69027D44F6E5EDC07F1AEAD1477967B16F28227'",
  ...mysqlOwn.slice(1, 4),
]
const mariadbWithRole = [...mariadbOwn, 'GRANT SELECT, RELOAD, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `cdc`']
const mariadbRoot = [
  'GRANT `cdc` TO `root`@`127.0.0.1` WITH ADMIN OPTION',
  'GRANT ALL PRIVILEGES ON *.* TO `root`@`127.0.0.1` WITH GRANT OPTION',
  'GRANT PROXY ON ``@`%` TO `root`@`127.0.0.1` WITH GRANT OPTION',
]
const dynamic = ['GRANT USAGE ON *.* TO `d`@`%`', 'GRANT BACKUP_ADMIN,FLUSH_TABLES ON *.* TO `d`@`%`']
const allOfOne = ['GRANT USAGE ON *.* TO `p``2`@`127.0.0.1`', 'GRANT ALL PRIVILEGES ON `a_b`.* TO `p``2`@`127.0.0.1`']
const revoked = ['GRANT SELECT ON *.* TO `r`@`%`', 'REVOKE SELECT ON `mysql`.* FROM `r`@`%`']

test('privileges on everything: of the user, of active roles, ALL, and the dynamic ones', () => {
  const table: readonly (readonly [lines: readonly string[], privilege: string, expected: boolean])[] = [
    [mysqlOwn, 'REPLICATION SLAVE', false],
    [mysqlOwn, 'LOCK TABLES', false],
    [mysqlWithRole, 'REPLICATION SLAVE', true],
    [mysqlWithRole, 'RELOAD', true],
    [mariadbOwn, 'REPLICATION SLAVE', false],
    [mariadbWithRole, 'REPLICATION SLAVE', true],
    [mariadbWithRole, 'BINLOG MONITOR', true],
    [mariadbRoot, 'RELOAD', true],
    [dynamic, 'FLUSH_TABLES', true],
    [dynamic, 'RELOAD', false],
    [allOfOne, 'RELOAD', false],
    [[], 'SELECT', false],
  ]
  for (const [lines, privilege, expected] of table) {
    assert.equal(new Grants(lines).hasGlobal(privilege), expected, `${privilege} of ${lines[0]}`)
  }
})

test('privileges on databases and tables: patterns, revokes; grants on columns do not count', () => {
  const table: readonly (readonly [
    lines: readonly string[],
    privilege: string,
    database: string,
    expected: boolean,
  ])[] = [
    [mysqlOwn, 'LOCK TABLES', 'inv', true],
    [mysqlOwn, 'LOCK TABLES', 'other', false],
    [mysqlOwn, 'INSERT', 'a_b', true],
    [mysqlOwn, 'INSERT', 'axb', false],
    [allOfOne, 'SELECT', 'a_b', true],
    [allOfOne, 'SELECT', 'axb', true],
    [allOfOne, 'SELECT', 'a_bc', false],
    [revoked, 'SELECT', 'inv', true],
    [revoked, 'SELECT', 'mysql', false],
  ]
  for (const [lines, privilege, database, expected] of table) {
    assert.equal(new Grants(lines).hasOnDatabase(privilege, database), expected, `${privilege} on ${database}`)
  }
  assert.equal(new Grants(mysqlOwn).hasOnTable('SELECT', 'inv', 't'), false)
  assert.equal(new Grants(['GRANT SELECT ON `inv`.`t` TO `u`@`%`']).hasOnTable('SELECT', 'inv', 't'), true)
  assert.equal(new Grants(['GRANT SELECT ON `inv`.`t` TO `u`@`%`']).hasOnTable('SELECT', 'inv', 'u'), false)
  assert.equal(new Grants(['GRANT SELECT ON `i_v`.`t` TO `u`@`%`']).hasOnTable('SELECT', 'inv', 't'), false)
  assert.equal(
    new Grants(['GRANT SELECT (`a,b`, `c)`), INSERT ON `inv`.`t` TO `u`@`%`']).hasOnTable('INSERT', 'inv', 't'),
    true,
  )
})

test('an account is quoted as the server quotes it', () => {
  assert.equal(accountName('p`2@127.0.0.1'), '`p``2`@`127.0.0.1`')
  assert.equal(accountName('a@b@%'), '`a@b`@`%`')
  assert.equal(accountName('@localhost'), '``@`localhost`')
})
