import type { Kafka } from '@tributary/kafka'
import { describeError } from '@tributary/support'
import type { Names } from '../stage/names.ts'
import type { Presenter } from '../stage/presenter.ts'
import type { SampleDatabase } from '../stage/sample-database.ts'

/** Time limit for deleting all topics, so that an unreachable broker does not keep the demo from ending. */
const REMOVE_LIMIT_MS = 20_000

/** Removes the demo's database from the user's server, or prints that it must be removed by hand. */
export async function dropDatabase(sample: SampleDatabase, names: Names, presenter: Presenter): Promise<void> {
  try {
    await sample.drop()
    presenter.line(`Removed the database ${names.database}.`)
  } catch (error) {
    presenter.line(`Cannot remove the database ${names.database}; please drop it yourself: ${describeError(error)}`)
  }
}

/** Removes the demo's topics from the user's cluster, or prints that they must be removed by hand. */
export async function deleteTopics(kafka: Kafka, names: Names, presenter: Presenter): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_LIMIT_MS)
  try {
    await using admin = kafka.admin()
    const topics = (await admin.listTopics(signal)).filter((topic) => isOurs(topic, names))
    for (const topic of topics) await admin.deleteTopic(topic, signal)
    presenter.line(`Removed ${topics.length} topics ${names.topicPrefix}….`)
  } catch (error) {
    presenter.line(
      `Cannot remove the topics ${names.topicPrefix}…; please delete them yourself: ${describeError(error)}`,
    )
  }
}

/** The name of the schema change topic is the prefix itself; all other names continue with a dot. */
function isOurs(topic: string, { topicPrefix }: Names): boolean {
  return topic === topicPrefix || topic.startsWith(`${topicPrefix}.`)
}
