import type { EventField, TopicEvent } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { formatBytes } from '../format.ts'
import { Moment } from '../parts/moment.tsx'
import { indented, shortKey, summaryOf, wordOf } from './event-text.ts'

/** A record in one line, and all of it when it is opened. */
export function EventRow({ event }: { readonly event: TopicEvent }): VNode {
  const [isOpen, setOpen] = useState(false)
  const [word, kind] = wordOf(event)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="event-line">
          <Moment ms={event.timestamp} />
          <span class={`op ${kind}`}>{word}</span>
          <span class="value key-text">{shortKey(event.key)}</span>
          <span class="value summary-text">{summaryOf(event)}</span>
          <span class="soft place">
            {event.partition}:{event.offset}
          </span>
        </summary>
        {isOpen ? <EventDetails event={event} /> : null}
      </details>
    </li>
  )
}

function EventDetails({ event }: { readonly event: TopicEvent }): VNode {
  const { partition, offset, bytes, key, value, isDocument, fields, source, note } = event
  const facts = Object.entries(source).filter(([, text]) => text !== 'null')
  return (
    <div class="event-details">
      {note === null ? null : <p class="prose warning">{note}</p>}
      <p class="soft">
        Partition {partition}, offset {offset}, {formatBytes(bytes)}
      </p>
      <p class="wrap">
        <span class="soft">Key</span> <code>{key ?? 'none'}</code>
      </p>
      {fields.length === 0 ? null : <Sides fields={fields} />}
      {value === null ? null : (
        <pre tabIndex={0} aria-label="Value">
          {isDocument?.value === true ? indented(value) : value}
        </pre>
      )}
      {event.op === null ? null : (
        <p class="soft">Not shown: other members of the value, such as ts_ms and transaction, and headers.</p>
      )}
      {facts.length === 0 ? null : (
        <details>
          <summary>Source</summary>
          <table class="facts">
            <tbody>
              {facts.map(([name, text]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="value">{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </div>
  )
}

function Sides({ fields }: { readonly fields: readonly EventField[] }): VNode {
  return (
    <table class="sides">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, before, after, isChanged }) => (
          <tr key={name} class={isChanged ? 'changed' : ''}>
            <th scope="row">
              {name} {isChanged ? <span class="tag">changed</span> : null}
            </th>
            <td class="value" data-label="Before">
              {isChanged ? <del>{before}</del> : (before ?? '')}
            </td>
            <td class="value" data-label="After">
              {isChanged ? <ins>{after}</ins> : (after ?? '')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
