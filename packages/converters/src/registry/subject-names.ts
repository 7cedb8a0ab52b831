import { connectErrors } from '@tributary/connect-api'
import type { RegistrySubject } from './schema-registry.ts'

/**
 * Returns the subject for the schema of a topic's keys or values. `recordName`: full name of the Avro record; null for
 * other types.
 */
export type SubjectNaming = (topic: string, recordName: string | null) => RegistrySubject

/** Returns Confluent's strategy of that class name. */
export function confluentSubjects(property: string, className: string, isKey: boolean): SubjectNaming {
  const ofTopic = (topic: string): RegistrySubject => ({ group: null, name: `${topic}-${isKey ? 'key' : 'value'}` })
  const simpleName = className.slice(className.lastIndexOf('.') + 1)
  switch (simpleName) {
    case 'TopicNameStrategy':
      return ofTopic
    // A schema that is not a record has no name: uses the topic's subject, where Java fails.
    case 'RecordNameStrategy':
      return (topic, recordName) => (recordName === null ? ofTopic(topic) : { group: null, name: recordName })
    case 'TopicRecordNameStrategy':
      return (topic, recordName) =>
        recordName === null ? ofTopic(topic) : { group: null, name: `${topic}-${recordName}` }
    default: {
      const reason = 'known are TopicNameStrategy, RecordNameStrategy and TopicRecordNameStrategy'
      throw connectErrors.CONVERTER_OPTION({ name: property, value: className, reason })
    }
  }
}

/** Returns Apicurio's strategy of that class name. */
export function apicurioSubjects(property: string, className: string, isKey: boolean): SubjectNaming {
  const ofTopic = (topic: string): RegistrySubject => ({ group: null, name: `${topic}-${isKey ? 'key' : 'value'}` })
  const simpleName = className.slice(className.lastIndexOf('.') + 1)
  switch (simpleName) {
    case 'TopicIdStrategy':
      return ofTopic
    case 'SimpleTopicIdStrategy':
      return (topic) => ({ group: null, name: topic })
    case 'QualifiedRecordIdStrategy':
      return (topic, recordName) => (recordName === null ? ofTopic(topic) : { group: null, name: recordName })
    case 'RecordIdStrategy':
      return (topic, recordName) => (recordName === null ? ofTopic(topic) : groupedName(recordName))
    case 'TopicRecordIdStrategy':
      return (topic, recordName) => {
        if (recordName === null) return ofTopic(topic)
        const { group, name } = groupedName(recordName)
        return { group, name: `${topic}-${name}` }
      }
    default: {
      const reason =
        'known are TopicIdStrategy, SimpleTopicIdStrategy, RecordIdStrategy, QualifiedRecordIdStrategy and TopicRecordIdStrategy'
      throw connectErrors.CONVERTER_OPTION({ name: property, value: className, reason })
    }
  }
}

/**
 * Returns the registry group of a schema that other schemas refer to. As in Apicurio, the naming strategy determines
 * the group of such a schema; its artifact is always named after the schema itself.
 */
export function groupOfReference(className: string, namespace: string | null): string | null {
  return /\b(Topic)?RecordIdStrategy$/.test(className) ? namespace : null
}

/** The group is the record's namespace. */
function groupedName(recordName: string): RegistrySubject {
  const dot = recordName.lastIndexOf('.')
  return dot < 0
    ? { group: null, name: recordName }
    : { group: recordName.slice(0, dot), name: recordName.slice(dot + 1) }
}
