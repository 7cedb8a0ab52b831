import type { Demo } from '../stage/demo.ts'
import { differences } from '../stage/expectation.ts'
import { topicOf } from '../stage/names.ts'
import { sampleTables } from '../stage/sample.ts'

export async function showSnapshot({ presenter, sample, events, names, expected }: Demo): Promise<void> {
  const problems: string[] = []
  let rows = 0
  for (const table of sampleTables) {
    const shouldBe = await sample.snapshot(table)
    const topic = topicOf(names, table.name)
    presenter.line(topic)
    const found = await events.next(topic, shouldBe.length)
    for (const event of found) presenter.eventLine(event)
    problems.push(...differences(found, shouldBe))
    expected.push(...shouldBe)
    rows += shouldBe.length
    if (table.name !== 'customers') continue
    presenter.aside('the first of them, with all but its schema half:')
    presenter.aside(JSON.stringify(found[0]?.payload, null, 2))
  }
  presenter.check(`${rows} rows, ${rows} read events with the rows and keys that SELECT gives`, problems)
}
