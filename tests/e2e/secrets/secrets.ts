import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, kafkaClient, readTopic, type Service, uniqueName } from '@tributary/testkit'

/**
 * Makes secrets and writes them to a file. Each value is long and unique to this run: wherever it is found, it was
 * leaked.
 */
export class Secrets implements Disposable {
  readonly file: string
  readonly folder: string
  readonly values: Set<string> = new Set<string>()

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'secrets-'))
    this.file = join(this.folder, 'db.properties')
  }

  /** Makes a new secret. */
  make(kind: string): string {
    const value = uniqueName(`hidden${kind}`).replaceAll('_', '-')
    this.values.add(value)
    return value
  }

  write(properties: Readonly<Record<string, string>>): void {
    const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(this.file, lines.join(''))
  }

  reference(key: string): string {
    return `\${file:${this.file}:${key}}`
  }

  /** The values that the text contains. */
  foundIn(text: string): readonly string[] {
    return [...this.values].filter((value) => text.includes(value))
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** The testkit keeps its session, whose later statements must be in the binlog again. */
const LOGGED = 'SET SESSION sql_log_bin = 1'

/** Changes a password; no binlog contains it. */
export async function setPassword(database: Database, user: string, password: string): Promise<void> {
  await database.query(`SET SESSION sql_log_bin = 0; ALTER USER '${user}'@'%' IDENTIFIED BY '${password}'; ${LOGGED}`)
}

/** A user with all rights; no binlog contains its password. */
export async function createUser(database: Database, user: string, password: string): Promise<void> {
  await database.query(
    `SET SESSION sql_log_bin = 0; CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO '${user}'@'%'; ${LOGGED}`,
  )
}

/** Everything that the REST interface returns for a connector. */
export async function answersAbout(
  service: Service,
  name: string,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const paths = [
    '/connectors?expand=info&expand=status',
    ...['', '/config', '/status', '/tasks', '/tasks/0/status', '/topics', '/offsets'].map(
      (path) => `/connectors/${name}${path}`,
    ),
  ]
  return Promise.all(paths.map(async (path) => ({ path, text: (await service.rest('GET', path)).text })))
}

/** All topics of the service and its connectors, with the contents of their records. */
export async function topicTexts(
  bootstrapServers: readonly string[],
  names: readonly string[],
): Promise<readonly { readonly topic: string; readonly text: string }[]> {
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  const topics = (await admin.listTopics()).filter((topic) => names.some((name) => topic.includes(name)))
  return await Promise.all(
    topics.map(async (topic) => {
      const records = await readTopic(bootstrapServers, topic)
      const parts = records.flatMap(({ key, value, headers }) => [key, value, ...headers.map((header) => header.value)])
      return { topic, text: parts.map((part) => part?.toString() ?? '').join('\n') }
    }),
  )
}
