import { styleText } from 'node:util'
import type { Row, TopicEvent } from './change-event.ts'

const INDENT = '      '

/** Prints the output of the demo. Uses colours as the terminal and NO_COLOR allow. */
export class Presenter {
  readonly #stream: NodeJS.WriteStream
  readonly #startMs = performance.now()
  #stepCount = 0
  #step = 0
  #stepStartMs = 0
  #passedCount = 0
  readonly #failed: string[] = []

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  /** The checks that failed. */
  get failedChecks(): readonly string[] {
    return this.#failed
  }

  title(text: string, stepCount: number): void {
    this.#stepCount = stepCount
    this.#print(`${this.#style('bold', text)}\n`)
  }

  /** Begins a step. */
  step(text: string): void {
    this.#step += 1
    this.#stepStartMs = performance.now()
    this.#print(`${this.#style('bold', `[${this.#step}/${this.#stepCount}] ${text}`)}`)
  }

  /** Ends a step and prints how long it took. */
  stepDone(): void {
    this.#print(this.#style('dim', `${INDENT}(${seconds(this.#stepStartMs)})\n`))
  }

  line(text: string): void {
    this.#print(indented(text))
  }

  /** Prints less important lines. */
  aside(text: string): void {
    this.#print(this.#style('dim', indented(text)))
  }

  /** Prints a command that users can type themselves. */
  command(text: string): void {
    this.#print(this.#style('cyan', indented(text)))
  }

  sql(statement: string): void {
    this.command(`sql> ${statement};`)
  }

  /** Prints an event in one line: operation, key and row. */
  eventLine({ key, change }: TopicEvent): void {
    const row = change === null ? 'tombstone' : json(change.after ?? change.before)
    this.line(`  ${this.#op(change?.op ?? null)}  ${json(key)}  ${row}`)
  }

  /** Prints an event in a few lines, without its schema half. */
  event({ topic, key, change }: TopicEvent): void {
    this.line(`${this.#style('bold', topic)}  key ${json(key)}`)
    if (change === null) {
      this.line(`  ${this.#op(null)}  tombstone: the value is null`)
      return
    }
    const { file, pos, row, ts_sec, snapshot, thread } = change.source
    this.line(`  ${this.#op(change.op)}  before ${json(change.before)}`)
    this.line(`     after  ${json(change.after)}`)
    this.aside(`     source ${json({ file, pos, row, ts_sec, snapshot, thread })}`)
  }

  /** Prints the result of a check, which passes when there are no problems. */
  check(text: string, problems: readonly string[]): void {
    if (problems.length === 0) {
      this.#passedCount += 1
      this.#print(`${INDENT}${this.#style('green', '✓')} ${text}`)
      return
    }
    this.#failed.push(text)
    this.#print(`${INDENT}${this.#style('red', '✗')} ${text}`)
    for (const problem of problems) this.line(`  ${this.#style('red', problem)}`)
  }

  /** Prints the result of all checks. */
  verdict(): void {
    const took = seconds(this.#startMs)
    const failedCount = this.#failed.length
    const allCount = this.#passedCount + failedCount
    const failures = `${failedCount} of ${allCount} checks FAILED (${took}): ${this.#failed.join('; ')}`
    if (failedCount === 0) this.#print(this.#style('green', `All ${allCount} checks passed (${took}).`))
    else this.#print(this.#style('red', failures))
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
