import { isDeepStrictEqual } from 'node:util'
import type { Row, TopicEvent } from '../stage/change-event.ts'
import type { Demo } from '../stage/demo.ts'
import { differences } from '../stage/expectation.ts'
import { topicOf } from '../stage/names.ts'
import { sampleTables } from '../stage/sample.ts'

/** Reads every topic again from its beginning, as a consumer that starts now does. */
export async function verify({ presenter, sample, events, names, expected }: Demo): Promise<void> {
  const all: TopicEvent[] = []
  const problems: string[] = []
  const differing: string[] = []
  for (const table of sampleTables) {
    const topic = topicOf(names, table.name)
    const found = await events.everything(topic)
    all.push(...found)
    problems.push(
      ...differences(
        found,
        expected.filter((one) => one.topic === topic),
      ),
    )
    const rows = await sample.rows(table)
    if (!isDeepStrictEqual(replayed(found), new Map(rows.map((row) => [String(row[table.keyColumn]), row]))))
      differing.push(table.name)
  }
  presenter.check(`the topics contain ${expected.length} records: each change once, in order`, problems)
  presenter.check(
    'sorted by binlog file and position, the events of all tables have the order of the statements',
    orderProblems(all, expected),
  )
  presenter.check(
    'the last event of each key equals the current row of the table',
    differing.map((name) => `${name} differs`),
  )
}

/** Returns the rows that remain when each event replaces the earlier row of its key. */
function replayed(events: readonly TopicEvent[]): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>()
  for (const { key, change } of events) {
    const id = String(Object.values(key)[0])
    if (change?.after === null || change === null) rows.delete(id)
    else rows.set(id, change.after)
  }
  return rows
}

function orderProblems(found: readonly TopicEvent[], expected: Demo['expected']): readonly string[] {
  const streamed = found.filter(({ change }) => change !== null && change.op !== 'r')
  const inLogOrder = streamed.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)))
  const changes = expected.filter(({ op }) => op !== null && op !== 'r')
  const is = inLogOrder.map(({ topic, key }) => `${topic} ${JSON.stringify(key)}`)
  const shouldBe = changes.map(({ topic, key }) => `${topic} ${JSON.stringify(key)}`)
  return isDeepStrictEqual(is, shouldBe) ? [] : [`${is.join(', ')} instead of ${shouldBe.join(', ')}`]
}

type Place = readonly [file: string, position: number, row: number]

function placeOf({ change }: TopicEvent): Place {
  const { file, pos, row } = change?.source ?? {}
  return [String(file), Number(pos), Number(row)]
}

/** Compares file names as text, because they end in a number of fixed width. */
function comparePlaces(a: Place, b: Place): number {
  return a[0].localeCompare(b[0]) || a[1] - b[1] || a[2] - b[2]
}
