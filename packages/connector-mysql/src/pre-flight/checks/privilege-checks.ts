import { quoted } from '../../tables/quoted-name.ts'
import type { TableName } from '../table-name.ts'
import { finding } from '../finding.ts'
import { isOn } from './binlog-checks.ts'
import type { Check, Subject } from './check.ts'

export const replicationSlave: Check = {
  title: 'Privilege to read the binlog',
  codes: ['PRIVILEGE_REPLICATION_SLAVE'],
  find({ facts: { grants, account, address } }) {
    if (grants.hasGlobal('REPLICATION SLAVE', 'REPLICATION REPLICA')) return []
    return [finding('PRIVILEGE_REPLICATION_SLAVE', { account, address })]
  },
  describe: () => 'REPLICATION SLAVE',
}

export const replicationClient: Check = {
  title: 'Privilege to query the binlog position',
  codes: ['PRIVILEGE_REPLICATION_CLIENT'],
  note: 'Only a warning when the connector continues from a stored offset with GTIDs of MySQL.',
  find(subject) {
    const { position, account, address, flavor } = subject.facts
    if (position.errno === null) return []
    const values = { account, address, privilege: flavor.positionPrivilege }
    return [finding('PRIVILEGE_REPLICATION_CLIENT', values, needsPosition(subject) ? {} : { severity: 'warning' })]
  },
  describe: ({ facts }) => facts.flavor.positionPrivilege,
}

/** A connector that continues by GTIDs from MySQL does not need the position. */
function needsPosition({ needsSnapshot, facts }: Subject): boolean {
  return needsSnapshot || facts.flavor.name === 'mariadb' || !facts.info.hasGtids
}

export const showDatabases: Check = {
  title: 'Privilege to list the databases',
  codes: ['PRIVILEGE_SHOW_DATABASES'],
  note: 'Needed only where skip_show_database is on: otherwise SHOW DATABASES lists the databases on which the user has a privilege.',
  find: ({ catalogue, facts: { account, address } }) =>
    catalogue?.isListed === false ? [finding('PRIVILEGE_SHOW_DATABASES', { account, address })] : [],
  describe: () => 'SHOW DATABASES, where skip_show_database is on',
}

export const select: Check = {
  title: 'Privilege to read the captured tables',
  codes: ['PRIVILEGE_SELECT'],
  note: 'For tables without a grant on the whole table the check runs a SELECT, so roles and grants on columns count. As long as some table can be read, only a warning for a database that no list names, and for a name whose existence the server does not disclose: both are skipped.',
  find(subject) {
    const { catalogue, facts } = subject
    const { account, address } = facts
    const unreadable = catalogue?.unreadable ?? []
    if (unreadable.length === 0) return []
    const shown = unreadable.slice(0, SHOWN_MAX)
    const tables = shown.map(({ database, table }) =>
      table === null ? `the database ${database}` : `${database}.${table}`,
    )
    const statements = shown
      .map((each) => `GRANT SELECT ON ${objectOf(each, isOn(facts, 'partial_revokes'))} TO ${account};`)
      .join(' ')
    const values = { account, address, tables: listed(tables, unreadable.length), statements }
    return [finding('PRIVILEGE_SELECT', values, canDoWithout(subject) ? { severity: 'warning' } : {})]
  },
  describe: ({ catalogue }) => (catalogue === null ? 'not needed without a snapshot' : 'SELECT'),
}

/** True when some table can be captured, and no list explicitly names those that cannot be read. */
function canDoWithout({ catalogue }: Subject): boolean {
  return catalogue !== null && catalogue.captured.length > 0 && !catalogue.unreadable.some(({ isWanted }) => isWanted)
}

export const snapshotLock: Check = {
  title: 'Privilege to lock for the snapshot',
  codes: ['PRIVILEGE_LOCK', 'SNAPSHOT_WITHOUT_LOCK'],
  note: 'Instead of RELOAD, FLUSH_TABLES of MySQL is sufficient, and so is LOCK TABLES on every database of captured tables. An error only with snapshot.locking.mode=extended.',
  find({ needsSnapshot, config, catalogue, facts: { grants, account, address } }) {
    if (!needsSnapshot || config.snapshotLocking === 'none') return []
    if (grants.hasGlobal('RELOAD', 'FLUSH_TABLES')) return []
    const captured = catalogue?.captured ?? []
    // Wanted tables that cannot be read yet must be locked too; all of them, when no table can be read.
    const unread = (catalogue?.unreadable ?? []).filter(({ isWanted }) => isWanted || captured.length === 0)
    const databases = [...new Set([...captured, ...unread].map(({ database }) => database))]
    const unlockable = databases.filter((name) => !grants.hasOnDatabase('LOCK TABLES', name))
    if (unlockable.length === 0) return []
    const names = listed(unlockable.slice(0, SHOWN_MAX), unlockable.length)
    const values = { account, address, databases: names }
    if (config.snapshotLocking === 'minimal') return [finding('SNAPSHOT_WITHOUT_LOCK', values)]
    return [finding('PRIVILEGE_LOCK', { ...values, mode: config.snapshotLocking })]
  },
  describe: ({ needsSnapshot, config }) =>
    needsSnapshot && config.snapshotLocking !== 'none' ? 'RELOAD, or LOCK TABLES' : 'not needed',
}

/** The database in a GRANT is a pattern, except on a MySQL server with partial_revokes. */
function objectOf({ database, table }: TableName, isLiteral: boolean): string {
  if (table !== null) return `${quoted(database)}.${quoted(table)}`
  return `${quoted(isLiteral ? database : database.replaceAll(/[_%]/g, String.raw`\$&`))}.*`
}

/** More would not be read. */
const SHOWN_MAX = 20

export function listed(names: readonly string[], count: number): string {
  return count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(', ')
}
