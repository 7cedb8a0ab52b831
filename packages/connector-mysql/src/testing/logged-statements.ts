import { randomInt, randomUUID } from 'node:crypto'
import { BinlogStream } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { type Database, databaseAccounts } from '@tributary/testkit'
import type { LoggedStatement } from '../schema/oracle/corpus-run.ts'
import { sessionOf } from '../schema/ddl-session.ts'
import { comparePlaces, type LogPlace } from '../streaming/log-place.ts'
import { decodeStatement } from '../streaming/statement-decoder.ts'

/** Follows the binlog of a server, from its current end, with the code of the connector. */
export class LoggedStatements implements AsyncDisposable {
  readonly #server: Database
  readonly #stream: BinlogStream
  #read: LogPlace

  private constructor(server: Database, stream: BinlogStream, from: LogPlace) {
    this.#server = server
    this.#stream = stream
    this.#read = from
  }

  static async open(server: Database): Promise<LoggedStatements> {
    const from = await endOfLog(server)
    const { host, port, flavor } = server
    const stream = await BinlogStream.open({
      connection: {
        host,
        port,
        ...databaseAccounts.root,
        tls: { mode: 'preferred' },
        connectTimeoutMs: 10_000,
        logger: silentLogger,
      },
      decodeStatement,
      dump: {
        flavor,
        start: { tag: 'position', file: from.file, position: from.position },
        serverId: randomInt(10_000, 2 ** 31),
        replicaUuid: randomUUID(),
        heartbeatMs: 2_000,
        wantsStatements: false,
      },
    })
    return new LoggedStatements(server, stream, from)
  }

  /** The statements since the last call, with their sessions. */
  async next(): Promise<LoggedStatement[]> {
    const end = await endOfLog(this.#server)
    const statements: LoggedStatement[] = []
    while (comparePlaces(this.#read, end) < 0) {
      const event = this.#stream.next()
      if (event === null) {
        await this.#stream.wait()
        continue
      }
      if (event.tag === 'query') statements.push({ sql: event.sql, session: sessionOf(event, this.#server.flavor) })
      const { file, nextPosition: position } = this.#stream.reader
      this.#read = { file, position }
    }
    return statements
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stream.close()
  }
}

async function endOfLog(server: Database): Promise<LogPlace> {
  const [row] = await server.query(server.flavor === 'mariadb' ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS')
  return { file: String(row?.['File']), position: Number(row?.['Position']) }
}
