import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Retention, retentionOf } from './retention.ts'

/**
 * Variables as the servers report them: MySQL 9.7 and MariaDB 10.11 of the testkit; MySQL 5.7 and MariaDB 11.4 from
 * their manuals; Amazon, Google and Azure from the pages of these services about binlog retention.
 */
const CASES: readonly (readonly [
  what: string,
  variables: Readonly<Record<string, string>>,
  expected: Partial<Retention>,
])[] = [
  [
    'MySQL 9.7',
    { version: '9.7.0', binlog_expire_logs_seconds: '2592000', binlog_expire_logs_auto_purge: 'ON' },
    { seconds: 2_592_000, settings: ['binlog_expire_logs_seconds=2592000'], needsNewFile: true },
  ],
  ['MySQL that purges nothing', { version: '9.7.0', binlog_expire_logs_seconds: '0' }, { seconds: null }],
  [
    'MySQL with automatic purges switched off',
    { version: '9.7.0', binlog_expire_logs_seconds: '60', binlog_expire_logs_auto_purge: 'OFF' },
    { seconds: null, settings: ['binlog_expire_logs_auto_purge=OFF'] },
  ],
  ['MySQL 5.7', { version: '5.7.44-log', expire_logs_days: '10' }, { seconds: 864_000 }],
  [
    'MySQL 8.0 with days',
    { version: '8.0.36', expire_logs_days: '2', binlog_expire_logs_seconds: '0' },
    { seconds: 172_800 },
  ],
  [
    'MariaDB 10.11, where both are one setting',
    { version: '10.11.19-MariaDB', expire_logs_days: '0.500000', binlog_expire_logs_seconds: '43200' },
    { seconds: 43_200, settings: ['binlog_expire_logs_seconds=43200'] },
  ],
  [
    'MariaDB 11.4 with a limit of the size',
    {
      version: '11.4.2-MariaDB',
      binlog_expire_logs_seconds: '0',
      max_binlog_total_size: '1073741824',
      slave_connections_needed_for_purge: '1',
    },
    { seconds: null, totalBytes: 1_073_741_824 },
  ],
  ['Percona Server', { version: '8.0.36-28', binlog_space_limit: '5000' }, { totalBytes: 5000 }],
  [
    'Percona Server with a limit of the number of files, which is no time',
    { version: '5.7.44-48-log', expire_logs_days: '10', max_binlog_files: '5' },
    { seconds: 864_000, isComplete: false, settings: ['expire_logs_days=10', 'max_binlog_files=5'] },
  ],
  [
    'Percona Server without such a limit',
    { version: '5.7.44-48-log', expire_logs_days: '10', max_binlog_files: '0' },
    { isComplete: true, settings: ['expire_logs_days=10'] },
  ],
  [
    'Google Cloud SQL, which has a limit that it does not show',
    { version: '8.0.31-google', binlog_expire_logs_seconds: '0' },
    { isComplete: false },
  ],
]

for (const [what, variables, expected] of CASES) {
  test(`the retention of ${what}`, () => {
    const isMariaDb = /mariadb/i.test(variables['version'] ?? '')
    const found = retentionOf({
      variables: new Map(Object.entries(variables)),
      host: 'db',
      isMariaDb,
      amazonHours: null,
    })
    assert.deepEqual({ ...found, ...expected }, found)
  })
}

const AMAZON = new Map([
  ['version', '8.0.36'],
  ['basedir', '/rdsdbbin/mysql-8.0.36.R2/'],
  ['binlog_expire_logs_seconds', '2592000'],
])

test('Amazon RDS: its own setting decides, and a file is removed without a new one', () => {
  const retention = (amazonHours: number | null | undefined): Retention =>
    retentionOf({ variables: AMAZON, host: 'db', isMariaDb: false, amazonHours })
  assert.deepEqual([retention(24).seconds, retention(24).needsNewFile, retention(24).isComplete], [86_400, false, true])
  assert.deepEqual([retention(null).seconds, retention(null).isComplete], [0, true])
  assert.equal(retention(undefined).isComplete, false)
  assert.match(retention(undefined).notes.join(' '), /GRANT SELECT ON mysql\.rds_configuration/)
})

test('Azure: without a limit of its own, the service removes files that no session reads', () => {
  const variables = new Map([['binlog_expire_logs_seconds', '0']])
  const host = 'shop.mysql.database.azure.com'
  assert.equal(retentionOf({ variables, host, isMariaDb: false, amazonHours: null }).isComplete, false)
})

test('services that purge by a setting which the server does not show are incomplete, and a note names the setting', () => {
  const variables = new Map([['binlog_expire_logs_seconds', '2592000']])
  const hosts = {
    'mysql-1-shop.a.aivencloud.com': /Aiven .* binlog_retention_period/,
    'shop-do-user-1-0.b.db.ondigitalocean.com.': /DigitalOcean .* binlog_retention_period/,
    'rm-bp1.mysql.rds.aliyuncs.com': /ApsaraDB RDS .* local log retention policy/,
  }
  for (const [host, note] of Object.entries(hosts)) {
    const found = retentionOf({ variables, host, isMariaDb: false, amazonHours: null })
    assert.equal(found.isComplete, false, host)
    assert.match(found.notes.join(' '), note)
  }
  const own = retentionOf({ variables, host: 'ondigitalocean.com.example.org', isMariaDb: false, amazonHours: null })
  assert.equal(own.isComplete, true)
})

test('automatic purges that need replicas are noted, since a replica may connect at any time', () => {
  const variables = new Map([
    ['binlog_expire_logs_seconds', '60'],
    ['slave_connections_needed_for_purge', '2'],
  ])
  const { seconds, notes } = retentionOf({ variables, host: 'db', isMariaDb: true, amazonHours: null })
  assert.equal(seconds, 60)
  assert.match(notes.join(' '), /at least that many replicas/)
})
