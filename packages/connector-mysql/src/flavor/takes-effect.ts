import type { BinlogEvent } from '@tributary/mysql'

/**
 * Whether the statement after a GTID event takes effect. MariaDB logs an ALTER in two phases (`binlog_alter_two_phase`)
 * twice: its first logging has not changed the table yet, and a rollback never does.
 */
export function takesEffect(gtid: BinlogEvent | null): boolean {
  return gtid?.tag !== 'mariadbGtid' || gtid.alterPhase === null || gtid.alterPhase === 'commit'
}
