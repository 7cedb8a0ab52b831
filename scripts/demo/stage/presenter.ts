import { styleText } from 'node:util'
import type { Row, TopicEvent } from './change-event.ts'

const INDENT = '      '

/** Everything that the demo prints. Colours follow the terminal and NO_COLOR. */
export class Presenter {
  readonly #stream: NodeJS.WriteStream
  readonly #startMs = performance.now()
  #stepCount = 0
  #step = 0
  #stepStartMs = 0
  #held = 0
  readonly #broken: string[] = []

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** Checks that did not hold. */
  get broken(): readonly string[] {
    return this.#broken
  }

  title(text: string, stepCount: number): void {
    this.#stepCount = stepCount
    this.#print(`${this.#style('bold', text)}\n`)
  }

  /** A step begins: what happens now. */
  step(text: string): void {
    this.#step += 1
    this.#stepStartMs = performance.now()
    this.#print(`${this.#style('bold', `[${this.#step}/${this.#stepCount}] ${text}`)}`)
  }

  /** The step is over: how long it took. */
  stepDone(): void {
    this.#print(this.#style('dim', `${INDENT}${seconds(this.#stepStartMs)}\n`))
  }

  line(text: string): void {
    this.#print(indented(text))
  }

  aside(text: string): void {
    this.#print(this.#style('dim', indented(text)))
  }

  /** Something that the visitor could type as well. */
  command(text: string): void {
    this.#print(this.#style('cyan', indented(text)))
  }

  sql(statement: string): void {
    this.command(`sql> ${statement};`)
  }

  /** An event in a line: its kind, key and row. For many. */
  eventLine({ key, change }: TopicEvent): void {
    const row = change === null ? 'tombstone' : json(change.after ?? change.before)
    this.line(`  ${this.#op(change?.op ?? null)}  ${json(key)}  ${row}`)
  }

  /** An event over a few lines, without its schema half. */
  event({ topic, key, change }: TopicEvent): void {
    this.line(`${this.#style('bold', topic)}  key ${json(key)}`)
    if (change === null) {
      this.line(`  ${this.#op(null)}  tombstone: {"schema":null,"payload":null}`)
      return
    }
    const { file, pos, row, ts_sec, snapshot, thread } = change.source
    this.line(`  ${this.#op(change.op)}  before ${json(change.before)}`)
    this.line(`     after  ${json(change.after)}`)
    this.aside(`     source ${json({ file, pos, row, ts_sec, snapshot, thread })}`)
  }

  /** A check: it holds when there are no problems. */
  check(text: string, problems: readonly string[]): void {
    if (problems.length === 0) {
      this.#held += 1
      this.#print(`${INDENT}${this.#style('green', '✓')} ${text}`)
      return
    }
    this.#broken.push(text)
    this.#print(`${INDENT}${this.#style('red', '✗')} ${text}`)
    for (const problem of problems) this.line(`  ${this.#style('red', problem)}`)
  }

  /** The last line but for what cleaning up says. */
  verdict(): void {
    const took = seconds(this.#startMs)
    if (this.#broken.length === 0) this.#print(this.#style('green', `All ${this.#held} checks hold (${took}).`))
    else
      this.#print(
        this.#style(
          'red',
          `${this.#broken.length} of ${this.#held + this.#broken.length} checks FAILED (${took}): ${this.#broken.join('; ')}`,
        ),
      )
  }

  failure(text: string): void {
    this.#print(this.#style('red', `\nThe demo FAILED: ${text}`))
  }

  #op(op: string | null): string {
    return this.#style('yellow', op ?? '–')
  }

  #style(format: 'bold' | 'dim' | 'cyan' | 'green' | 'red' | 'yellow', text: string): string {
    return styleText(format, text, { stream: this.#stream })
  }

  #print(text: string): void {
    this.#stream.write(`${text}\n`)
  }
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENT)
}

function json(value: Row | null): string {
  return JSON.stringify(value)
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
}
