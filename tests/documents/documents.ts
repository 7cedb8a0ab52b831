import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A published configuration of a connector, with placeholders such as `{{MYSQL_HOST}}`. */
export interface PublishedDocument {
  /** The number of its file. */
  readonly id: string
  readonly name: string
  readonly config: Readonly<Record<string, string>>
}

const FOLDER = new URL('../../fixtures/connector-documents/', import.meta.url)

/** All published documents, in the order of their numbers. */
export function publishedDocuments(): readonly PublishedDocument[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => {
      const { name, config } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Omit<PublishedDocument, 'id'>
      return { id: file.replace('.json', ''), name, config }
    })
}

/** What replaces the placeholders. */
export interface Surroundings {
  /** `MYSQL_HOST` → its value. */
  readonly placeholders: Readonly<Record<string, string>>
  /** The folder with the files that references name. */
  readonly folder: string
}

/**
 * The configuration with the addresses of real servers. A reference to a file refers to a file of the same name in the
 * folder, which has the account of the database.
 */
export function filledConfig(
  { config }: PublishedDocument,
  { placeholders, folder }: Surroundings,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([property, value]) => {
      const filled = value.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => placeholders[name] ?? whole)
      return [
        property,
        filled.replaceAll(/\$\{file:(\/[^:}]+):(\w+)\}/g, (_, path: string, key: string) => {
          const secret = property.endsWith('password') ? placeholders['MYSQL_PASSWORD'] : placeholders['MYSQL_USER']
          return `\${file:${secretFile(join(folder, path), key, secret ?? '')}:${key}}`
        }),
      ]
    }),
  )
}

/** Adds a line to a file, which several documents may share. */
function secretFile(path: string, key: string, value: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${key}=${value}\n`, { flag: 'a' })
  return path
}
