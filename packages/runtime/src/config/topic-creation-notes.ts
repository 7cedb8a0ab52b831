import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import {
  DEFAULT_GROUP,
  GROUP_PROPERTIES,
  groupNames,
  listedGroups,
  TOPIC_CREATION_PREFIX,
  usesTopicCreation,
} from './topic-creation-keys.ts'
import { workerKeys } from './worker-keys.ts'

const ENABLE = 'topic.creation.enable'
const GROUPS = 'topic.creation.groups'
const definition = new ConfigDef(workerKeys.filter(({ name }) => name === ENABLE))

/** Whether the worker lets connectors create topics with settings of their own. `worker`: its valid properties. */
export function mayCreateTopics(worker: ConfigMap): boolean {
  return definition.parse(worker).boolean(ENABLE)
}

/** What has no effect among the properties of topic creation, by property. Connect ignores it without a word. */
export function topicCreationNotes(worker: ConfigMap, connector: ConfigMap): Readonly<Record<string, string>> {
  if (!usesTopicCreation(connector)) return {}
  if (!mayCreateTopics(worker)) {
    const [first = GROUPS] = Object.keys(connector).filter((name) => name.startsWith(TOPIC_CREATION_PREFIX))
    return {
      [first]: `topic.creation.… has no effect: the worker forbids it (${ENABLE}=false). New topics get the defaults of the brokers`,
    }
  }
  const notes: Record<string, string> = {}
  if (listedGroups(connector).includes(DEFAULT_GROUP)) {
    notes[GROUPS] = `'${DEFAULT_GROUP}' topic creation group always exists and does not need to be listed explicitly`
  }
  const used = [DEFAULT_GROUP, ...groupNames(connector)]
  for (const name of Object.keys(connector)) {
    if (!name.startsWith(TOPIC_CREATION_PREFIX) || name === GROUPS) continue
    const note = propertyNote(name.slice(TOPIC_CREATION_PREFIX.length), used)
    if (note !== null) notes[name] = `${name} has no effect: ${note}`
  }
  return notes
}

/** `property`: after the prefix, a group and its property. */
function propertyNote(property: string, used: readonly string[]): string | null {
  if (property === `${DEFAULT_GROUP}.include` || property === `${DEFAULT_GROUP}.exclude`) {
    return 'the default group takes every topic that no other group takes'
  }
  if (used.some((group) => property.startsWith(`${group}.`))) return null
  const known = GROUP_PROPERTIES.find((each) => property.endsWith(`.${each}`))
  const group = known === undefined ? property.split('.')[0] : property.slice(0, -known.length - 1)
  return `${GROUPS} does not list the group ${group}`
}
