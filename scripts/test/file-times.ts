/** How long each test file takes: a reporter of Node's test runner, and the list that is made of its lines. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * Writes a line per file when the file ends: its seconds and its path. Not sorted at the end, because
 * --test-force-exit discards what a reporter writes after the last test.
 */
// oxlint-disable-next-line import/no-default-export -- the runner loads the default export of a reporter
export default async function* fileTimes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:summary' || data.file === undefined) continue
    yield `${(data.duration_ms / 1000).toFixed(1).padStart(6)} s  ${relative(process.cwd(), data.file)}\n`
  }
}

/** The lines of the reporter, the slowest file first. */
export function slowestFirst(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.toSorted((one, other) => Number.parseFloat(other) - Number.parseFloat(one)).join('\n')
}
