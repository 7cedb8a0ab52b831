import type { EventField, TopicEvent } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { formatBytes } from '../format.ts'
import { Moment } from '../parts/moment.tsx'

const OPERATIONS: Readonly<Record<string, readonly [word: string, kind: string]>> = {
  c: ['insert', 'good'],
  u: ['update', 'change'],
  d: ['delete', 'bad'],
  r: ['snapshot', 'soft'],
  t: ['truncate', 'bad'],
  m: ['message', 'soft'],
}

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

function wordOf({ op, isTombstone }: TopicEvent): readonly [string, string] {
  if (isTombstone) return ['tombstone', 'soft']
  return op === null ? ['record', 'soft'] : (OPERATIONS[op] ?? [op, 'soft'])
}

/** `{"id":7}` → `id=7` */
function shortKey(key: string | null): string {
  if (key === null) return ''
  const [, inner] = /^\{([^{}[\]]*)\}$/.exec(key) ?? []
  return inner === undefined ? key : inner.replaceAll(/"([^"\\]*)":/g, '$1=').replaceAll(/,(?=[^",]+=)/g, ', ')
}

/** What has changed, or the row. */
function summaryOf({ op, fields, value, isTombstone }: TopicEvent): string {
  if (isTombstone) return ''
  if (op === null) return value ?? ''
  const changed = fields.filter(({ isChanged }) => isChanged)
  if (op === 'u' && changed.length > 0) {
    return changed.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join('   ')
  }
  return fields.map(({ name, before, after }) => `${name}=${after ?? before}`).join('   ')
}

function EventDetails({ event }: { readonly event: TopicEvent }): VNode {
  const { partition, offset, bytes, key, value, fields, source, note } = event
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
          {indented(value)}
        </pre>
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

/**
 * JSON with line ends, which the text has only between its tokens. Not through JSON.parse, which would round numbers.
 */
function indented(json: string): string {
  let text = ''
  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.max(0, depth))}`
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^"{}[\],:]+/gs)) {
    if (token === '{' || token === '[') {
      depth += 1
      text += token + line()
    } else if (token === '}' || token === ']') {
      depth -= 1
      text += line() + token
    } else if (token === ',') text += token + line()
    else text += token === ':' ? ': ' : token
  }
  return text
}
