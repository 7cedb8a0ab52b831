import type { Kafka } from '@tributary/kafka'
import { describeError } from '@tributary/support'
import type { Names } from '../stage/names.ts'
import type { Presenter } from '../stage/presenter.ts'
import type { SampleDatabase } from '../stage/sample-database.ts'

/** Longest that removing a topic may take: a broker that is gone must not keep the demo from ending. */
const REMOVE_LIMIT_MS = 20_000

/** Removes the demo's database from a visitor's server. What cannot be removed is named. */
export async function dropDatabase(sample: SampleDatabase, names: Names, presenter: Presenter): Promise<void> {
  try {
    await sample.drop()
    presenter.line(`removed database ${names.database}`)
  } catch (error) {
    presenter.line(`database ${names.database} could not be removed, please do: ${describeError(error)}`)
  }
}

/** Removes the demo's topics from a visitor's cluster. */
export async function deleteTopics(kafka: Kafka, names: Names, presenter: Presenter): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_LIMIT_MS)
  try {
    await using admin = kafka.admin()
    const topics = (await admin.listTopics(signal)).filter((topic) => isOurs(topic, names))
    for (const topic of topics) await admin.deleteTopic(topic, signal)
    presenter.line(`removed ${topics.length} topics ${names.topicPrefix}…`)
  } catch (error) {
    presenter.line(`topics ${names.topicPrefix}… could not be removed, please do: ${describeError(error)}`)
  }
}

/** The schema change topic is the prefix itself; all others have a dot behind it. */
function isOurs(topic: string, { topicPrefix }: Names): boolean {
  return topic === topicPrefix || topic.startsWith(`${topicPrefix}.`)
}
