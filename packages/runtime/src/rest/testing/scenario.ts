import { readFileSync } from 'node:fs'

/**
 * A recorded scenario: requests that were sent to Kafka Connect 4.3.1 and what it answered. `{{NAMES}}` stand for what
 * differs from run to run.
 */
export interface Scenario {
  readonly name: string
  readonly note: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly id?: string
  /** What it is; a request where nothing is said. */
  readonly do?: 'http' | 'wait' | 'sleep' | 'sql'
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyB64?: string
  readonly bodyFill?: { readonly before: string; readonly fill: string; readonly count: number; readonly after: string }
  /** How much of the answer is compared; all of it where nothing is said. */
  readonly compare?: 'status' | 'headers'
  /** Paths of the answer's document that may differ, and in what way. */
  readonly mask?: Readonly<Record<string, string>>
}

export interface RecordedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What Connect would have answered but for a defect of the connector that was recorded with it. */
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

/** Puts values in for `{{NAMES}}`, and letters for `{{FILL letter count}}`. */
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
