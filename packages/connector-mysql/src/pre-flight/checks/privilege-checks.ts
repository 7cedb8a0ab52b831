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
  title: 'Privilege to ask for the position',
  codes: ['PRIVILEGE_REPLICATION_CLIENT'],
  note: 'A warning only where a stored offset with GTIDs of MySQL is gone on from.',
  find(subject) {
    const { position, account, address, flavor } = subject.facts
    if (position.errno === null) return []
    const values = { account, address, privilege: flavor.positionPrivilege }
    return [finding('PRIVILEGE_REPLICATION_CLIENT', values, needsPosition(subject) ? {} : { severity: 'warning' })]
  },
  describe: ({ facts }) => facts.flavor.positionPrivilege,
}

/** A connector that goes on by GTIDs from MySQL asks for no position. */
function needsPosition({ needsSnapshot, facts }: Subject): boolean {
  return needsSnapshot || facts.flavor.name === 'mariadb' || !facts.info.hasGtids
}

export const showDatabases: Check = {
  title: 'Privilege to list the databases',
  codes: ['PRIVILEGE_SHOW_DATABASES'],
  note: 'Needed only where skip_show_database is on: else SHOW DATABASES lists what the user has any privilege on.',
  find: ({ catalogue, facts: { account, address } }) =>
    catalogue?.isListed === false ? [finding('PRIVILEGE_SHOW_DATABASES', { account, address })] : [],
  describe: () => 'SHOW DATABASES, where skip_show_database is on',
}

export const select: Check = {
  title: 'Privilege to read the captured tables',
  codes: ['PRIVILEGE_SELECT'],
  note: 'Tables that no grant opens as a whole are tried, so roles and grants by column count. A warning only, as long as something can be read, for a database that no list names and for a name of which the server does not tell whether it is there: both are left out.',
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

/** Something is captured, and what is not to be read may be nothing that the connector is meant for. */
function canDoWithout({ catalogue }: Subject): boolean {
  return catalogue !== null && catalogue.captured.length > 0 && !catalogue.unreadable.some(({ isWanted }) => isWanted)
}

export const snapshotLock: Check = {
  title: 'Privilege to lock for the snapshot',
  codes: ['PRIVILEGE_LOCK'],
  note: 'FLUSH_TABLES of MySQL is as good as RELOAD; so is LOCK TABLES on every database of captured tables.',
  find({ needsSnapshot, config, catalogue, facts: { grants, account, address } }) {
    if (!needsSnapshot || config.snapshotLocking === 'none') return []
    if (grants.hasGlobal('RELOAD', 'FLUSH_TABLES')) return []
    const captured = catalogue?.captured ?? []
    // What may not be read yet will have to be locked as well; where nothing may be read it is all of it.
    const unread = (catalogue?.unreadable ?? []).filter(({ isWanted }) => isWanted || captured.length === 0)
    const databases = [...new Set([...captured, ...unread].map(({ database }) => database))]
    const unlockable = databases.filter((name) => !grants.hasOnDatabase('LOCK TABLES', name))
    if (unlockable.length === 0) return []
    const names = listed(unlockable.slice(0, SHOWN_MAX), unlockable.length)
    return [finding('PRIVILEGE_LOCK', { account, address, databases: names, mode: config.snapshotLocking })]
  },
  describe: ({ needsSnapshot, config }) =>
    needsSnapshot && config.snapshotLocking !== 'none' ? 'RELOAD, or LOCK TABLES' : 'not needed',
}

/** What GRANT takes for a database is a pattern, but not on a MySQL server with partial revokes. */
function objectOf({ database, table }: TableName, isLiteral: boolean): string {
  if (table !== null) return `${quoted(database)}.${quoted(table)}`
  return `${quoted(isLiteral ? database : database.replaceAll(/[_%]/g, String.raw`\$&`))}.*`
}

/** A text that a person reads to the end. */
const SHOWN_MAX = 20

export function listed(names: readonly string[], count: number): string {
  return count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(', ')
}
