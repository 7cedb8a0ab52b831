import { eventScanLengths, type ConnectorTopics } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { connectorPath } from '../api/client.ts'
import { useLive } from '../api/use-live.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { formatCount } from '../format.ts'
import { ConnectorHead } from '../parts/connector-head.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { defaultTopic } from './default-topic.ts'
import { EventRow } from './event-row.tsx'
import { KEPT_MAX, useEvents, type Events } from './use-events.ts'

/** The records of a topic of the connector, for users who may read them. */
export function EventsView({ name }: { readonly name: string }): VNode {
  const { start, mayReadEvents } = useLive()
  return (
    <>
      <ConnectorHead name={name} current="events" />
      {start === null ? (
        <Loading what="the topics" />
      ) : mayReadEvents ? (
        <ConnectorEvents name={name} />
      ) : (
        <Empty title="You may not read the records of topics">
          <p>The setting ui.events of the worker decides who may.</p>
        </Empty>
      )}
    </>
  )
}

/** The last records, and new ones as they arrive. */
function ConnectorEvents({ name }: { readonly name: string }): VNode {
  const { value, error, reload } = useLoaded<ConnectorTopics>(`${connectorPath(name)}/topics`)
  const topics = (value?.[name]?.topics ?? []).toSorted()
  return (
    <>
      {error !== null ? (
        <Failure title="The topics of the connector cannot be read" error={error} onRetry={reload} />
      ) : value === null ? (
        <Loading what="the topics" />
      ) : topics.length === 0 ? (
        <Empty title="The connector has written nothing yet">
          <button type="button" onClick={reload}>
            Look again
          </button>
        </Empty>
      ) : (
        <TopicEvents name={name} topics={topics} />
      )}
    </>
  )
}

/** From the last key to the request: each one reads the topic again. */
const TYPING_MS = 600

function TopicEvents({ name, topics }: { readonly name: string; readonly topics: readonly string[] }): VNode {
  const [topic, setTopic] = useState(() => defaultTopic(topics))
  const [scan, setScan] = useState<number>(eventScanLengths[0])
  const [words, setWords] = useState('')
  const [filter, setFilter] = useState('')
  const [round, setRound] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setFilter(words.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <>
      <form
        class="form-row"
        onSubmit={(event) => {
          event.preventDefault()
          setFilter(words.trim())
          setRound(round + 1)
        }}
      >
        <label class="field-inline">
          <span>Topic</span>
          <select value={topic} onChange={({ currentTarget }) => setTopic(currentTarget.value)}>
            {topics.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="field-inline">
          <span>Last</span>
          <select value={scan} onChange={({ currentTarget }) => setScan(Number(currentTarget.value))}>
            {eventScanLengths.map((each) => (
              <option key={each} value={each}>
                {formatCount(each)} records
              </option>
            ))}
          </select>
        </label>
        <label class="field-inline grow">
          <span>Filter</span>
          <input
            type="search"
            value={words}
            placeholder="key.id=7 op=u after.total>100 words"
            spellcheck={false}
            autocomplete="off"
            aria-describedby="filter-help"
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
        <button type="submit">Read again</button>
      </form>
      <details class="soft">
        <summary>How to filter</summary>
        <p class="prose" id="filter-help">
          Terms separated by spaces; all must be true. A word is looked for in key and value. A comparison (=, !=, &lt;,
          &lt;=, &gt;, &gt;=) names a field: op=u, key.id=7, before.name=Mei, total&gt;100 (in the row after or before
          the change), source.file=binlog.000003, partition=0. Quotes keep spaces together: name="Mei Tanaka".
        </p>
      </details>
      <EventList key={round} request={{ connector: name, topic, scan, filter }} />
    </>
  )
}

interface EventListProps {
  readonly request: {
    readonly connector: string
    readonly topic: string
    readonly scan: number
    readonly filter: string
  }
}

function EventList({ request }: EventListProps): VNode {
  const state = useEvents(request)
  const { phase, events, error } = state
  return (
    <>
      {phase === 'failed' || (phase === 'connecting' && error !== null) ? (
        <div class="notice bad" role="alert">
          <p class="notice-title">The topic cannot be read</p>
          <p class="prose">{error}</p>
        </div>
      ) : null}
      <p class="soft">
        {/* Without the numbers: they change with each message, and would be read aloud. */}
        <span role="status">{phaseText(state, request.filter)}</span> {countsText(state, request.filter)}
      </p>
      {events.length > 0 ? (
        <ol class="events" aria-label="Records, the latest first">
          {events.toReversed().map((event) => (
            <EventRow key={`${event.partition} ${event.offset}`} event={event} />
          ))}
        </ol>
      ) : phase === 'connecting' || phase === 'reading' ? (
        error === null ? (
          <Loading what="the records" />
        ) : null
      ) : phase === 'failed' ? null : (
        <Empty title={request.filter === '' ? 'The topic has no record' : 'No record matches'}>
          <p>New records are shown as they arrive.</p>
        </Empty>
      )}
    </>
  )
}

function phaseText({ phase }: Events, filter: string): string {
  switch (phase) {
    case 'connecting':
      return 'Connecting…'
    case 'reading':
      return 'Reading…'
    case 'following':
      return `New records${filter === '' ? '' : ' that match'} are shown as they arrive.`
    case 'ended':
      return 'Reading has ended after fifteen minutes: “Read again” continues.'
    case 'failed':
      return ''
  }
}

function countsText({ events, scanned, matched, dropped, skipped, limit }: Events, filter: string): string {
  const found = formatCount(events.length)
  const shown =
    matched === null || matched <= events.length
      ? `${found} shown`
      : `The latest ${found} of ${formatCount(matched)}${filter === '' ? '' : ' that match'} are shown`
  return [
    ...(scanned === 0 ? [] : [`${shown}, ${formatCount(scanned)} read.`]),
    ...(dropped === 0
      ? []
      : [
          `The page keeps the latest ${formatCount(KEPT_MAX)}: ${formatCount(dropped)} older ones are shown no longer.`,
        ]),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} arrived too fast to be shown; a filter shows fewer.`]),
    ...(limit === null ? [] : [`${limit}.`]),
  ].join(' ')
}
