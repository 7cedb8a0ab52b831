import type { ConnectorOffsets, ConnectorTopics } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { connectorPath } from '../api/client.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { formatCount } from '../format.ts'
import { Empty, Failure, Loading } from '../parts/messages.tsx'

/** The stored position: where the connector continues after a restart. */
export function Position({ name }: { readonly name: string }): VNode {
  const { value, error, reload } = useLoaded<ConnectorOffsets>(`${connectorPath(name)}/offsets`)
  return (
    <section aria-labelledby="position">
      <h2 id="position">
        Stored position{' '}
        <button type="button" class="quiet" onClick={reload}>
          Read again<span class="hidden"> the position</span>
        </button>
      </h2>
      {error !== null ? (
        <Failure title="The position cannot be read" error={error} onRetry={reload} />
      ) : value === null ? (
        <Loading what="the position" />
      ) : value.offsets.length === 0 ? (
        <Empty title="No position is stored yet" />
      ) : (
        value.offsets.map(({ partition, offset }) => (
          <table class="facts" key={JSON.stringify(partition)}>
            <tbody>
              {Object.entries(offset ?? {}).map(([field, content]) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td class="value">{String(content)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))
      )}
    </section>
  )
}

const TOPICS_MAX = 50

/** The topics that the connector has written to. */
export function Topics({ name }: { readonly name: string }): VNode {
  const { value, error, reload } = useLoaded<ConnectorTopics>(`${connectorPath(name)}/topics`)
  const topics = (value?.[name]?.topics ?? []).toSorted()
  return (
    <section aria-labelledby="topics">
      <h2 id="topics">
        Topics {value === null ? null : <span class="count">{formatCount(topics.length)}</span>}{' '}
        <button type="button" class="quiet" onClick={reload}>
          Read again<span class="hidden"> the topics</span>
        </button>
      </h2>
      {error !== null ? (
        <Failure title="The topics cannot be read" error={error} onRetry={reload} />
      ) : value === null ? (
        <Loading what="the topics" />
      ) : topics.length === 0 ? (
        <Empty title="Nothing was written yet" />
      ) : (
        <ul class="plain">
          {topics.slice(0, TOPICS_MAX).map((topic) => (
            <li key={topic} class="value">
              {topic}
            </li>
          ))}
          {topics.length > TOPICS_MAX ? <li class="soft">and {formatCount(topics.length - TOPICS_MAX)} more</li> : null}
        </ul>
      )}
    </section>
  )
}
