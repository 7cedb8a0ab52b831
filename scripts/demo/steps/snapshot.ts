import type { Demo } from '../stage/demo.ts'
import { differences } from '../stage/expectation.ts'
import { topicOf } from '../stage/names.ts'
import { sampleTables } from '../stage/sample.ts'

export async function showSnapshot({ presenter, sample, events, names, expected }: Demo): Promise<void> {
  const problems: string[] = []
  let rows = 0
  presenter.aside('op: r = read by the snapshot, c = created, u = updated, d = deleted; then key and row')
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
    presenter.aside('The whole payload of the first one (the record also contains its schema):')
    presenter.aside(JSON.stringify(found[0]?.payload, null, 2))
  }
  presenter.check(`${rows} rows caused ${rows} read events, with the same keys and rows as a SELECT returns`, problems)
}
