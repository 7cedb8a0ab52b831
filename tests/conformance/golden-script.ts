import { splitSql } from './split-sql.ts'

export type ScriptStep =
  | { readonly tag: 'sql'; readonly statements: readonly string[] }
  /** Later statements run in this session. */
  | { readonly tag: 'session'; readonly name: string }
  /** The server may refuse later statements. */
  | { readonly tag: 'allowErrors' }
  /** The connector is registered; the changes of later statements are streamed. */
  | { readonly tag: 'stream' }
  | { readonly tag: 'stop' }
  | { readonly tag: 'start' }
  /** Until the reference has handled everything. */
  | { readonly tag: 'wait' }

/** A script of the golden recordings; fixtures/golden/README.md describes the format. */
export interface GoldenScript {
  readonly server: 'mysql' | 'mariadb'
  readonly databases: readonly string[]
  /** The properties of all its variants. */
  readonly config: Readonly<Record<string, string>>
  readonly variants: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whether it is also recorded without a variant. */
  readonly hasDefault: boolean
  readonly steps: readonly ScriptStep[]
}

/** Parses a script. An unknown marker is an error. */
export function parseGoldenScript(text: string): GoldenScript {
  const builder = new ScriptBuilder()
  for (const line of text.split(/\r?\n/)) builder.line(line)
  return builder.finish()
}

class ScriptBuilder {
  #server: GoldenScript['server'] = 'mysql'
  #databases: string[] = []
  #config: Record<string, string> = {}
  readonly #variants: Record<string, Readonly<Record<string, string>>> = {}
  #hasDefault = true
  readonly #steps: ScriptStep[] = []
  /** Lines since the last marker. */
  #sql: string[] = []

  line(line: string): void {
    const marker = /^-- @([a-z-]+)(?:\s+(.*?))?\s*$/.exec(line)
    if (marker === null) {
      this.#sql.push(line)
      return
    }
    this.#flush()
    this.#marker(marker[1] ?? '', marker[2] ?? '')
  }

  finish(): GoldenScript {
    this.#flush()
    return {
      server: this.#server,
      databases: this.#databases,
      config: this.#config,
      variants: this.#variants,
      hasDefault: this.#hasDefault,
      steps: this.#steps,
    }
  }

  #flush(): void {
    const statements = splitSql(this.#sql.join('\n'))
    this.#sql = []
    if (statements.length > 0) this.#steps.push({ tag: 'sql', statements })
  }

  #marker(name: string, argument: string): void {
    switch (name) {
      case 'server':
        this.#server = argument === 'mariadb' ? 'mariadb' : 'mysql'
        return
      case 'database':
        this.#databases = argument.split(',').map((database) => database.trim())
        return
      case 'config':
        this.#config = { ...this.#config, ...properties(argument) }
        return
      case 'variant': {
        const [variant = ''] = argument.split(' ', 1)
        this.#variants[variant] = properties(argument.slice(variant.length))
        return
      }
      case 'no-default':
        this.#hasDefault = false
        return
      default:
        this.#step(name, argument)
    }
  }

  #step(name: string, argument: string): void {
    switch (name) {
      case 'conn':
        this.#steps.push({ tag: 'session', name: argument })
        return
      case 'allow-errors':
        this.#steps.push({ tag: 'allowErrors' })
        return
      case 'stream':
      case 'stop':
      case 'start':
      case 'wait':
        this.#steps.push({ tag: name })
        return
      case 'restart':
        this.#steps.push({ tag: 'stop' }, { tag: 'start' })
        return
      case 'description':
      case 'snapshot':
      // Pauses for the reference: before a statement that makes it fail, or for heartbeats.
      case 'settle':
      case 'sleep':
      // Values that differ in each run.
      case 'mask':
      // The topics to record.
      case 'topics':
        return
      default:
        throw new Error(`a golden script has the unknown marker @${name}`)
    }
  }
}

function properties(text: string): Record<string, string> {
  // The authors of the scripts write objects of strings.
  return JSON.parse(text) as Record<string, string>
}
