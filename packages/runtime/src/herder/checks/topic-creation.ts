import { topicCreationDefinition, usesTopicCreation } from '../../config/topic-creation-keys.ts'
import { mayCreateTopics } from '../../config/topic-creation-notes.ts'
import { withoutNulls, type LocalCheck } from './check.ts'

/**
 * `topic.creation.…` of the groups. Connect does not check them before the connector starts, which then fails with the
 * same text; where the worker forbids topic creation, nobody reads them.
 */
export const checkTopicCreation: LocalCheck = ({ workerProperties, config }, findings) => {
  const given = withoutNulls(config)
  if (!mayCreateTopics(workerProperties) || !usesTopicCreation(given)) return
  for (const value of topicCreationDefinition(given).validate(given)) {
    if (value.errors.length > 0) findings.addValue(value)
  }
}
