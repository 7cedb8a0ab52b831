/**
 * Tasks whose brokers acknowledge nothing, on real servers that purge, crash, or begin their binlog again meanwhile.
 * Judged by the rows that were inserted.
 */
import type { OffsetDocument } from '@tributary/connect-api'
import { type CaptureLogger, type DatabaseServer, eventually, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { insert, newestFile, resetLater, storedOffset, TABLE } from './binlog-resets.ts'
import { type Scene, sceneOf, TaskRun } from './task-run.ts'

export interface SpoolTestOptions {
  readonly start: () => Promise<DatabaseServer>
  /** The statement that starts the binlog again. */
  readonly reset: string
  /** Changes that a user makes to the stored offset. */
  readonly patches: readonly ((stored: OffsetDocument) => OffsetDocument)[]
}

/** Tests on a server of their own. */
export function testSpool(name: string, { start, reset, patches }: SpoolTestOptions): void {
  describe(name, () => {
    const folder = temporaryFolder('spool')
    let server: DatabaseServer
    before(async () => {
      server = await start()
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    })

    test('a task that was killed in an outage continues after a crash and a purge of the server', async () => {
      const spooled = await Spooled.start(server, folder.path)
      await insert(spooled.scene, 5)
      await spooled.task.untilChanges(5)
      await server.kill('SIGKILL')
      await server.start()
      await insert(spooled.scene, 5)
      await spooled.task.untilChanges(10)
      await purgeAll(server)
      await spooled.task[Symbol.asyncDispose]()

      await using task = await TaskRun.start(spooled.scene, spooled.config, spooled.stored, working())
      assert.deepEqual(await task.untilChanges(10), created(4, 13))
      await insert(spooled.scene, 2)
      assert.deepEqual(await task.untilChanges(12), created(4, 15))
      assert.equal(task.logger.matching('reads them from the spool').length, 1)
      await task.until(({ logger, stored }) => hasLeft(logger) && stored?.['event'] === undefined)
      await task.commit()
      assert.deepEqual(spooled.files, [])
    })

    test('a stored offset that was changed is not one of the spool: the purge is an error', async () => {
      const spooled = await Spooled.start(server, folder.path)
      await insert(spooled.scene, 5)
      await spooled.task.untilChanges(5)
      await purgeAll(server)
      await spooled.task[Symbol.asyncDispose]()
      const { files } = spooled
      for (const patch of patches) {
        const stored = { ...spooled.stored, ...patch(spooled.stored) }
        await using task = await TaskRun.start(spooled.scene, spooled.config, stored, working())
        assert.equal((await task.failure()).code, 'POSITION_PURGED')
        assert.deepEqual(task.changes, [])
        assert.deepEqual(spooled.files, files)
      }
      await using task = await TaskRun.start(spooled.scene, spooled.config, spooled.stored, working())
      assert.deepEqual(await task.untilChanges(5), created(4, 8))
    })

    test('a binlog that begins again in an outage is an error, after what was read before', async () => {
      const spooled = await Spooled.start(server, folder.path)
      await using task = spooled.task
      await insert(spooled.scene, 5)
      await task.untilChanges(5)
      await resetLater(server, reset)
      await insert(spooled.scene, 60)
      spooled.delivery.completed += 1
      // The server may not have a file of that name any more.
      assert.match((await task.failure()).code, /^(BINLOG_RESET|POSITION_PURGED)$/)
      assert.deepEqual(task.changes, created(4, 8))
    })
  })
}

/** A task in an outage, whose stream reads the spool. */
class Spooled {
  readonly scene: Scene
  readonly stored: OffsetDocument
  readonly config: Readonly<Record<string, string>>
  readonly delivery: { pending: number; completed: number; isCommitFailing: boolean }
  readonly task: TaskRun
  readonly #folder: string

  private constructor(parts: Pick<Spooled, 'scene' | 'stored' | 'config' | 'delivery' | 'task'>, folder: string) {
    this.scene = parts.scene
    this.stored = parts.stored
    this.config = parts.config
    this.delivery = parts.delivery
    this.task = parts.task
    this.#folder = folder
  }

  static async start(server: DatabaseServer, folder: string): Promise<Spooled> {
    const scene = await sceneOf(server, TABLE)
    const stored = await storedOffset(scene)
    const config = { 'binlog.spool.dir': folder, 'connect.keep.alive.interval.ms': '2000' }
    const delivery = { pending: 1, completed: 0, isCommitFailing: false }
    const task = await TaskRun.start(scene, config, stored, { delivered: () => ({ ...delivery }) })
    await task.until(({ logger }) => logger.matching('is read into the spool').length > 0)
    return new Spooled({ scene, stored, config, delivery, task }, join(folder, scene.schema))
  }

  get files(): readonly string[] {
    return readdirSync(this.#folder).filter((name) => name.endsWith('.spool'))
  }
}

function hasLeft(logger: CaptureLogger): boolean {
  return logger.matching('is no longer read into the spool').length > 0
}

/** The brokers acknowledge everything. */
function working(): { readonly delivered: () => { pending: number; completed: number; isCommitFailing: boolean } } {
  return { delivered: () => ({ pending: 0, completed: 0, isCommitFailing: false }) }
}

function created(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `c ${first + index}`)
}

/** Everything but the file that the server begins now, which a dump may delay. */
async function purgeAll(server: DatabaseServer): Promise<void> {
  await server.query('FLUSH BINARY LOGS')
  await eventually('the server has one file', async () => {
    await server.query(`PURGE BINARY LOGS TO '${await newestFile(server)}'`)
    return (await server.query('SHOW BINARY LOGS')).length === 1
  })
}
