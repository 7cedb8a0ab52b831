import type { Workload } from './workload.ts'

const SETTINGS = {
  mysql: 'SESSION binlog_transaction_compression',
  // Events of fewer bytes (default: 256) stay as they are.
  mariadb: 'GLOBAL log_bin_compress',
} as const

/** The same changes, which the server compresses in its binlog: MySQL each transaction, MariaDB the longer events. */
export function compressed(workload: Workload): Workload {
  return {
    ...workload,
    async fill(server, load) {
      const setting = SETTINGS[server.flavor]
      await server.query(`SET ${setting} = ON`)
      try {
        await workload.fill(server, load)
      } finally {
        await server.query(`SET ${setting} = OFF`)
      }
    },
  }
}
