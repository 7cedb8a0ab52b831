import { spawn } from 'node:child_process'
import type { Rehearsal } from '@tributary/rehearse'
import { type Side, sideOf } from '../side.ts'
import {
  connectorConfig,
  type Database,
  eventually,
  readTopic,
  type Service,
  uniqueName,
  useProgram,
} from '@tributary/testkit'

const MAIN = await useProgram()

/** Columns of the types that production tables have. */
const COLUMNS = `
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, version INT NOT NULL, note VARCHAR(80), price DECIMAL(10,2), big BIGINT UNSIGNED,
  tiny TINYINT(1), kind ENUM('a','b','c'), flags SET('x','y','z'), bits BIT(9), born DATE, at DATETIME(3), seen TIMESTAMP(6) NULL,
  lasts TIME(2), y YEAR, doc JSON, raw VARBINARY(20), f FLOAT, d DOUBLE, text TEXT`

const PAUSE_MS = 30

const CHARACTERS = ['plain', 'ünï', '日本語', '😀', `quote ' and " and \\\\ backslash`]

/** A database with a workload, captured by Debezium in a real Kafka Connect. */
export class RehearsedShop {
  readonly name: string
  readonly database: Database
  readonly connect: Service
  readonly config: Readonly<Record<string, string>>
  readonly #bootstrapServers: readonly string[]
  #round = 0

  private constructor(name: string, { database, connect, bootstrapServers, more = {} }: ShopOptions) {
    this.name = name
    this.database = database
    this.connect = connect
    this.#bootstrapServers = bootstrapServers
    this.config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more })
  }

  /** Registers the connector, and waits until its snapshot has ended and is stored. */
  static async open(options: ShopOptions): Promise<RehearsedShop> {
    const shop = new RehearsedShop(uniqueName('rehearsed'), options)
    const { name } = shop
    const { database, connect } = options
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.items (${COLUMNS});
      CREATE TABLE ${name}.keyless (a INT, b VARCHAR(20)); CREATE TABLE ${name}.beats (n INT NOT NULL);
      INSERT INTO ${name}.beats VALUES (0)`)
    await shop.change()
    await connect.register(name, shop.config)
    await connect.waitUntilRunning(name, 120_000)
    await eventually('the end of the snapshot is stored', () => shop.isStored(), { timeoutMs: 120_000, everyMs: 200 })
    return shop
  }

  async isStored(): Promise<boolean> {
    await this.change()
    const { json } = await this.connect.rest('GET', `/connectors/${this.name}/offsets`)
    const { offsets = [] } = json as { offsets?: { offset: Record<string, unknown> | null }[] }
    const offset = offsets[0]?.offset
    return offset !== undefined && offset !== null && !('snapshot' in offset)
  }

  /** Inserts, updates, a delete and a change of a key, in two transactions. */
  async change(): Promise<void> {
    const n = ++this.#round
    const text = CHARACTERS[n % CHARACTERS.length] ?? ''
    const quoted = text.replaceAll("'", "''")
    await this.database.query(`
      BEGIN;
      INSERT INTO ${this.name}.items (version, note, price, big, tiny, kind, flags, bits, born, at, seen, lasts, y, doc, raw, f, d, text)
        VALUES (${n}, '${quoted}', ${n}.25, 18446744073709551615 - ${n}, ${n % 2}, 'b', 'x,z', b'101', '2020-02-29', '2020-02-03 04:05:06.789',
          '2021-01-01 00:00:00.123456', '01:02:03.50', 2024, '{"n": ${n}, "list": [1, null, "x"]}', x'00ff', 0.5, 1e300, REPEAT('${quoted}', 20)),
          (${n}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
      UPDATE ${this.name}.items SET note = CONCAT(COALESCE(note, ''), '${n}'), version = version + 1 ORDER BY id DESC LIMIT 3;
      INSERT INTO ${this.name}.keyless VALUES (${n}, 'n${n}');
      COMMIT;
      BEGIN;
      DELETE FROM ${this.name}.items WHERE id % 7 = 3 ORDER BY id LIMIT 1;
      UPDATE ${this.name}.items SET id = -id WHERE id > 0 ORDER BY id LIMIT 1;
      COMMIT`)
  }

  /** Statements, with changes under each. */
  async alter(): Promise<void> {
    const n = ++this.#round
    await this.database.query(`ALTER TABLE ${this.name}.items ADD COLUMN added${n} VARCHAR(30) DEFAULT 'new'`)
    await this.change()
    await this.database.query(`CREATE TABLE ${this.name}.more${n} (id INT PRIMARY KEY, t DATETIME)`)
    await this.database.query(`INSERT INTO ${this.name}.more${n} VALUES (1, NOW())`)
    await this.database.query(`ALTER TABLE ${this.name}.items DROP COLUMN added${n}`)
    await this.change()
  }

  /** Changes until it is stopped. */
  startWorkload(): AsyncDisposable & { readonly rounds: number } {
    let isOn = true
    let rounds = 0
    const run = async (): Promise<void> => {
      while (isOn) {
        await (rounds % 100 === 20 ? this.alter() : this.change())
        rounds += 1
        // Debezium shares the processor with the servers.
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
    const running = run()
    return {
      get rounds(): number {
        return rounds
      },
      [Symbol.asyncDispose]: async (): Promise<void> => {
        isOn = false
        await running
      },
    }
  }

  topic(table: string): string {
    return `${this.name}.${this.name}.${table}`
  }

  /** The events of the stream in a table's topic, in their order. */
  async events(table: string): Promise<readonly StreamEvent[]> {
    const records = await readTopic(this.#bootstrapServers, this.topic(table))
    return records.flatMap(({ value }) => {
      if (value === null) return []
      const { payload } = JSON.parse(value.toString()) as { payload: Payload }
      const { op, before, after, source } = payload
      const { file, pos, row, version } = source
      if (op === 'r') return []
      return [{ place: `${file}:${pos}:${row}:${op}`, side: sideOf(version), before, after }]
    })
  }
}

/** A row as far as the test reads it: its version grows by one with each update. */
interface ItemRow {
  readonly id: number
  readonly version: number
}

interface Payload {
  readonly op: string
  readonly before: ItemRow | null
  readonly after: ItemRow | null
  readonly source: { readonly file: string; readonly pos: number; readonly row: number; readonly version: string }
}

export interface StreamEvent {
  readonly place: string
  readonly side: Side
  readonly before: ItemRow | null
  readonly after: ItemRow | null
}

type Config = Readonly<Record<string, string>>

export interface ShopOptions {
  readonly database: Database
  readonly connect: Service
  readonly bootstrapServers: readonly string[]
  readonly more?: Config
}

/** A running `tributary rehearse`. */
export class RehearseProcess {
  readonly child: ReturnType<typeof spawn>
  readonly #ended: Promise<number>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], environment: Config = {}) {
    this.child = spawn(process.execPath, [MAIN, 'rehearse', ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (bytes: Buffer) => (this.stdout += bytes.toString()))
    this.child.stderr?.on('data', (bytes: Buffer) => (this.stderr += bytes.toString()))
    this.#ended = new Promise((resolve) => this.child.once('close', (code) => resolve(code ?? -1)))
  }

  async end(): Promise<RehearsalEnd> {
    const code = await this.#ended
    return { code, stdout: this.stdout, stderr: this.stderr }
  }
}

export interface RehearsalEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The document of `--json`. */
export function resultOf({ stdout, stderr, code }: RehearsalEnd): Rehearsal {
  try {
    return JSON.parse(stdout) as Rehearsal
  } catch (error) {
    throw new Error(`exit code ${code}; ${stderr}; ${stdout.slice(0, 2000)}`, { cause: error })
  }
}

/** The differences without a reason, for an assertion. */
export function unnamed({ differences }: Rehearsal): readonly string[] {
  return differences
    .filter(({ reason }) => reason === null)
    .map(
      ({ kind, path, topics, count, example }) =>
        `${count} ${kind} ${path} ${topics.join()} ${JSON.stringify(example)}`,
    )
}
