import { present, unreachable } from '@tributary/support'
import { RowMarkers } from '../events/row-markers.ts'
import type { ChangeSource, Poll, SourceState } from '../pipeline/change.ts'
import type { LogEntry, MemoryDatabase, MemoryRow } from './memory-database.ts'
import { MemoryRows, type MemoryModel, memoryStatement } from './memory-model.ts'
import { MemoryPosition } from './memory-position.ts'

/** Structure and rows of all tables, in one poll. */
export class MemorySnapshotSource implements ChangeSource {
  readonly #database: MemoryDatabase
  readonly #model: MemoryModel
  #end: MemoryPosition | null = null

  constructor(database: MemoryDatabase, model: MemoryModel) {
    this.#database = database
    this.#model = model
  }

  /** Where the stream starts; null until the snapshot is over. */
  get end(): MemoryPosition | null {
    return this.#end
  }

  async poll(poll: Poll): Promise<SourceState> {
    const { tables, log } = this.#database
    const position = new MemoryPosition(log.length, true)
    for (const table of tables) {
      this.#model.tables.overwrite(table)
      const sql = `CREATE TABLE ${table.id.table}`
      const statement = memoryStatement({ sql, type: 'CREATE', table }, position, 'true')
      await poll.handle({ tag: 'statement', statement, isAlone: false, positionBefore: position, position })
    }
    for (const rows of this.#rows(position)) await poll.handle({ tag: 'rows', rows, position })
    this.#end = new MemoryPosition(position.entries)
    await poll.handle({ tag: 'progress', position: this.#end, isMilestone: true })
    return 'over'
  }

  #rows(position: MemoryPosition): readonly MemoryRows[] {
    const found: MemoryRows[] = []
    const markers = new RowMarkers<(typeof tables)[number], MemoryRow>((table, after, marker) => {
      const schema = this.#model.schemaOf(table)
      found.push(new MemoryRows({ schema, positionBefore: position, position, marker }, [{ before: null, after }]))
    })
    const { tables } = this.#database
    for (const table of tables) {
      const marked = markers.beginTable(table)
      for (const row of this.#database.rowsOf(table)) markers.push(marked, row)
      markers.endTable(marked)
    }
    markers.end()
    return found
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** The log from a position on, as many entries a poll as there are. */
export class MemoryStreamSource implements ChangeSource {
  readonly #database: MemoryDatabase
  readonly #model: MemoryModel
  #position: MemoryPosition

  constructor(database: MemoryDatabase, model: MemoryModel, start: MemoryPosition) {
    this.#database = database
    this.#model = model
    this.#position = start
  }

  async poll(poll: Poll): Promise<SourceState> {
    await this.#database.waitForMore(this.#position.entries, poll.signal)
    poll.afterWait()
    for (const entry of this.#database.log.slice(this.#position.entries)) {
      const position = new MemoryPosition(this.#position.entries + 1)
      await this.#handle(entry, position, poll)
      // Only now: an entry that could not be handled is read again.
      this.#position = position
    }
    await poll.handle({ tag: 'progress', position: this.#position, isMilestone: false })
    return 'idle'
  }

  #handle(entry: LogEntry, position: MemoryPosition, poll: Poll): Promise<void> | null {
    const positionBefore = this.#position
    switch (entry.tag) {
      case 'begin':
        return poll.handle({ tag: 'begin', transaction: entry.transaction, position })
      case 'end':
        return poll.handle({ tag: 'end', position })
      case 'statement': {
        this.#model.tables.overwrite(entry.table)
        const statement = memoryStatement(entry, position, 'false')
        return poll.handle({ tag: 'statement', statement, isAlone: true, positionBefore, position })
      }
      case 'row': {
        const table = [...this.#model.tables].find(({ id }) => id.table === entry.table)
        const schema = this.#model.schemaOf(present(table, `table ${entry.table} in the model`))
        const rows = new MemoryRows({ schema, positionBefore, position, marker: 'false' }, [entry])
        return poll.handle({ tag: 'rows', rows, position })
      }
      default:
        return unreachable(entry)
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
