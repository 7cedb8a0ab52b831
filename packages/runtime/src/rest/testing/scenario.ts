import { readFileSync } from 'node:fs'

/**
 * A recorded scenario: requests that were sent to Kafka Connect 4.3.1. `{{NAMES}}` are placeholders for values that
 * differ between runs.
 */
export interface Scenario {
  readonly name: string
  readonly note: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly id?: string
  /** The kind of step; by default a request. */
  readonly do?: 'http' | 'wait' | 'sleep' | 'sql'
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyB64?: string
  readonly bodyFill?: { readonly before: string; readonly fill: string; readonly count: number; readonly after: string }
  /** Limits the comparison to a part of the answer; by default all of it is compared. */
  readonly compare?: 'status' | 'headers'
  /** Paths of the answer's document that may differ, with the permitted form: `text:` and a regular expression. */
  readonly mask?: Readonly<Record<string, string>>
}

export interface RecordedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The answer that Kafka Connect would have sent without a defect of the recorded connector. */
  readonly intended?: RecordedAnswer
}

export interface RecordedScenario {
  readonly scenario: Scenario
  /** By the identifier of the step. */
  readonly answers: Readonly<Record<string, RecordedAnswer>>
}

export function readScenario(folder: URL, name: string): RecordedScenario {
  const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  return {
    scenario: read(`${name}.json`) as Scenario,
    answers: read(`${name}.golden.json`) as RecordedScenario['answers'],
  }
}

/** Replaces `{{NAMES}}` with values, and `{{FILL letter count}}` with repeated letters. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text
    .replaceAll(/\{\{FILL (.) (\d+)\}\}/g, (_, letter: string, count: string) => letter.repeat(Number(count)))
    .replaceAll(/\{\{([A-Z_]+)\}\}/g, (whole, name: string) => values[name] ?? whole)
}

export function bodyOf(step: Step, values: Readonly<Record<string, string>>): Buffer | undefined {
  if (step.bodyB64 !== undefined) return Buffer.from(step.bodyB64, 'base64')
  if (step.bodyFill !== undefined) {
    const { before, fill, count, after } = step.bodyFill
    return Buffer.from(fillTemplate(before, values) + fill.repeat(count) + fillTemplate(after, values))
  }
  return step.body === undefined ? undefined : Buffer.from(fillTemplate(step.body, values))
}
