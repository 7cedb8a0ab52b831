import type { ConfigMap, OffsetDocument, SourceOffset } from '@tributary/connect-api'
import {
  classOfServer,
  locateStart,
  parseStartRequest,
  readGeneratedColumns,
  type StartRequest,
} from '@tributary/connector-mysql'
import { type LocalOutput, Plugins, type RecordPrinter, runLocal } from '@tributary/runtime'
import { describeError, StoppedError, systemClock, visibleText } from '@tributary/support'
import { fstatSync } from 'node:fs'
import { plugins } from '../assembly/plugins.ts'
import { cliErrors } from '../errors.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { checkSource } from '../source/check-source.ts'
import { type DatabaseAddress, parseDatabaseUrl } from '../source/database-url.ts'
import { noTableText } from '../source/no-table-text.ts'
import { hidePasswords, readPassword } from '../source/read-password.ts'
import { inUrlTerms } from '../source/url-terms.ts'
import { KeyDocuments } from '../tail/key-document.ts'
import { prettyPrinter } from '../tail/pretty-printer.ts'
import { SaveFile } from '../tail/save-file.ts'
import { sqlPrinter } from '../tail/sql-printer.ts'
import { TAIL_NAME, tailConfig, type TailFormat } from '../tail/tail-config.ts'
import { TailLog } from '../tail/tail-log.ts'
import { compileWhere, type RecordTest } from '../tail/where.ts'
import { paletteOf } from '../terminal/palette.ts'
import { StdoutOutput } from '../watch/output.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the command line. */
export interface TailOptions {
  readonly snapshot?: boolean
  readonly since?: string
  readonly where?: string
  readonly format?: TailFormat
  readonly save?: string
  readonly set?: readonly string[]
  readonly passwordFile?: string
  readonly verbose?: boolean
}

/** `tributary tail URL`: prints the changes of a database until SIGINT or SIGTERM. Returns the exit code. */
export async function tail(url: string, options: TailOptions, environment: Environment): Promise<ExitCode> {
  const command = new TailCommand(options)
  try {
    return await command.run(url, environment, endingSignal())
  } catch (error) {
    if (error instanceof StoppedError) return EXIT.ok
    command.note(describeError(error))
    return exitCodeOf(error)
  }
}

class TailCommand {
  readonly #options: TailOptions
  readonly #format: TailFormat
  readonly #log: TailLog
  /** Ends the command when the position cannot be stored, although the database is idle. */
  readonly #saveFailed = new AbortController()
  /** Hides the password, which texts of a driver or a server may repeat. */
  #mask: (text: string) => string = (text) => text

  constructor(options: TailOptions) {
    this.#options = options
    this.#format = options.format ?? (process.stdout.isTTY ? 'pretty' : 'json')
    this.#log = new TailLog((text) => this.note(text), options.verbose === true)
  }

  note(text: string): void {
    process.stderr.write(`tributary tail: ${visibleText(inUrlTerms(this.#mask(text)))}\n`)
  }

  async run(url: string, environment: Environment, signal: AbortSignal): Promise<ExitCode> {
    const { where, snapshot = false, set = [] } = this.#options
    const request = this.#request()
    const hasLiterals = this.#format !== 'json'
    const accepts = where === undefined ? null : await compileWhere(where, hasLiterals)
    const address = parseDatabaseUrl(url)
    const password = await readPassword(address, this.#options.passwordFile, environment)
    this.#mask = hidePasswords([password])
    const plain = tailConfig({ address, password, format: this.#format, snapshot, set })
    const save = this.#saveFile(address)
    const saved = save?.read() ?? null
    const config = { ...plain, 'connector.class': await classOfServer(plain, signal) }
    await this.#check(config, { address, isNew: saved === null, signal })
    const stored = await this.#stored(config, { saved, save, request, signal })
    const printer = await this.#printer(config, signal)
    const documents = new KeyDocuments()
    this.#noteLimits()
    const running = AbortSignal.any([signal, this.#saveFailed.signal])
    try {
      await this.#print({ config, stored, printer, documents, accepts, hasLiterals, save }, running)
    } finally {
      save?.close()
    }
    return this.#log.hasErrors ? EXIT.failed : EXIT.ok
  }

  async #print(parts: PrintParts, signal: AbortSignal): Promise<void> {
    const { config, stored, printer, documents, accepts, hasLiterals, save } = parts
    await runLocal(
      {
        connectorName: TAIL_NAME,
        plugins: new Plugins(plugins),
        taskConfig: config,
        stored: stored === null ? null : { partition: { server: TAIL_NAME }, offset: stored },
        printer,
        // Later statements may need what is missing, and the position must not pass it.
        refusal: () => (this.#format === 'sql' && this.#log.hasErrors ? cliErrors.TAIL_INCOMPLETE({}) : null),
        documentOf: (record) => documents.withKey(record),
        accepts,
        addsLiterals: hasLiterals,
        output: new TailOutput(save),
        clock: systemClock,
        logger: this.#log.logger,
      },
      signal,
    )
  }

  #noteLimits(): void {
    const { save } = this.#options
    if (this.#format !== 'sql' || save === undefined || !isPipe(process.stdout.fd)) return
    this.note(
      `the position in ${save} is after what was written into the pipe: if its reader fails, statements that it had not run are not printed again`,
    )
  }

  #request(): StartRequest {
    const { since, snapshot } = this.#options
    if (since === undefined) return { tag: 'now' }
    if (snapshot === true) throw cliErrors.TAIL_SINCE({ since, reason: 'a snapshot reads the tables as they are now' })
    const request = parseStartRequest(since)
    if (request !== null) return request
    throw cliErrors.TAIL_SINCE({ since, reason: 'it is neither a duration, a time, GTIDs nor a place' })
  }

  #saveFile({ host, port, database, table }: DatabaseAddress): SaveFile | null {
    const { save } = this.#options
    if (save === undefined) return null
    const names = [database, table].filter((name) => name !== null).map((name) => `\`${name.replaceAll('`', '``')}\``)
    const onFailure = (): void => this.#saveFailed.abort()
    return new SaveFile(save, `${host}:${port}/${names.join('.')}`, { clock: systemClock, onFailure })
  }

  /** @throws DATABASE_REFUSED, after the findings were printed */
  async #check(config: ConfigMap, { address, isNew, signal }: CheckOptions): Promise<void> {
    const note = (text: string): void => this.note(text)
    const { server, tables } = await checkSource(config, { leftOut: OF_CONNECTORS, isNew, note, signal })
    if (isNew && server !== null && tables.length === 0) this.note(noTableText(server.address, address))
  }

  /** Null: a snapshot comes first. */
  async #stored(config: ConfigMap, { saved, save, request, signal }: StoredOptions): Promise<OffsetDocument | null> {
    const { snapshot, since } = this.#options
    if (saved !== null) {
      // Without a schema history the rest of the rows could not be read by the definitions of that time.
      const isCopying = saved['initial_snapshot_copy'] !== undefined
      const isUnfinished = isCopying || saved['snapshot'] !== undefined
      if (isUnfinished && snapshot !== true) throw cliErrors.TAIL_UNFINISHED({ path: this.#options.save ?? '' })
      if (isCopying) {
        this.note(
          `the snapshot in ${this.#options.save} was not complete and is taken again; rows that were deleted meanwhile are not printed`,
        )
        return null
      }
      if (snapshot === true || since !== undefined) {
        this.note(
          `continuing from the position in ${this.#options.save}; --snapshot and --since are for the first start`,
        )
      }
      return saved
    }
    if (snapshot === true) return null
    const { offset, note } = await locateStart(config, request, { clock: systemClock, signal })
    if (note !== null) this.note(note)
    save?.write(offset)
    return offset
  }

  /** Null: the documents of the JSON converter. */
  async #printer(config: ConfigMap, signal: AbortSignal): Promise<RecordPrinter | null> {
    switch (this.#format) {
      case 'json':
        return null
      case 'pretty':
        return prettyPrinter(paletteOf(process.stdout))
      case 'sql': {
        const generated = await readGeneratedColumns(config, signal)
        return sqlPrinter({ isGenerated: (...names) => generated.has(...names) })
      }
    }
  }
}

/** Warnings about topics, about outages of days, and about what the command notes itself. */
const OF_CONNECTORS: ReadonlySet<string> = new Set([
  'GTID_OFF',
  'RETENTION_SHORT',
  'RETENTION_SIZE',
  'TABLE_WITHOUT_KEY',
  'TLS_ABSENT',
  'TLS_UNUSED',
  'INCLUDES_UNMATCHED',
  'NOTHING_CAPTURED',
])

interface PrintParts {
  readonly config: ConfigMap
  readonly stored: OffsetDocument | null
  readonly printer: RecordPrinter | null
  readonly documents: KeyDocuments
  readonly accepts: RecordTest | null
  readonly hasLiterals: boolean
  readonly save: SaveFile | null
}

/** A shell connects programs by pipes; other programs also by sockets. */
function isPipe(fd: number): boolean {
  const file = fstatSync(fd)
  return file.isFIFO() || file.isSocket()
}

interface CheckOptions {
  readonly address: DatabaseAddress
  /** No position is saved. */
  readonly isNew: boolean
  readonly signal: AbortSignal
}

interface StoredOptions {
  readonly saved: OffsetDocument | null
  readonly save: SaveFile | null
  readonly request: StartRequest
  readonly signal: AbortSignal
}

class TailOutput implements LocalOutput {
  readonly #stdout = new StdoutOutput(process.stdout)
  readonly #save: SaveFile | null

  constructor(save: SaveFile | null) {
    this.#save = save
  }

  write(bytes: Buffer): Promise<boolean> {
    return this.#stdout.write(bytes)
  }

  onWritten(offset: SourceOffset): void {
    this.#save?.advance(offset)
  }
}
