import type { LogLine, LogStart, LogUpdate } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { openStream } from '../api/stream.ts'
import { Empty, Loading } from '../parts/messages.tsx'
import { Moment } from '../parts/moment.tsx'

/** As many as the worker keeps. */
const LINES_MAX = 2_000
/** More elements make the page slow; the filters find the others. */
const SHOWN_MAX = 500

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

interface Entry {
  readonly id: number
  readonly line: LogLine
}

/** The recent lines of the worker's log, and new ones as they are written. */
export function LogView(): VNode {
  const { entries, isLost } = useLog()
  const [level, setLevel] = useState<Level>('info')
  const [words, setWords] = useState('')
  const [isFollowing, setFollowing] = useState(true)
  const end = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => filterEntries(entries ?? [], level, words), [entries, level, words])
  useEffect(() => {
    if (isFollowing) end.current?.scrollIntoView({ block: 'end' })
  }, [shown, isFollowing])
  return (
    <>
      <div class="head">
        <h1>Log</h1>
        <label class="field-inline">
          <span>From level</span>
          <select value={level} onChange={({ currentTarget }) => setLevel(levelNamed(currentTarget.value))}>
            {LEVELS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="field-inline">
          <span>Containing</span>
          <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
          />
          Follow
        </label>
      </div>
      {isLost ? <p class="strip wait">The log is interrupted; the page connects again by itself.</p> : null}
      {entries === null ? (
        <Loading what="the log" />
      ) : shown.length === 0 ? (
        <Empty title={entries.length === 0 ? 'Nothing was logged yet' : 'No line matches'} />
      ) : (
        <div class="log" role="log" aria-label="Lines of the log" aria-live="off" tabIndex={0}>
          {shown.length < SHOWN_MAX ? null : <p class="soft">Earlier lines are left out.</p>}
          {shown.map(({ id, line }) => (
            <LogEntry key={id} line={line} />
          ))}
          <div ref={end} />
        </div>
      )}
    </>
  )
}

function useLog(): { readonly entries: readonly Entry[] | null; readonly isLost: boolean } {
  const [entries, setEntries] = useState<readonly Entry[] | null>(null)
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    let next = 0
    const entryOf = (line: LogLine): Entry => ({ id: next++, line })
    const { close } = openStream('log', {
      onMessage: (message) => {
        const received = message as LogStart | LogUpdate
        setLost(false)
        if (received.tag === 'start') setEntries(received.lines.map(entryOf))
        else {
          const entry = entryOf(received.line)
          setEntries((last) => [...(last ?? []), entry].slice(-LINES_MAX))
        }
      },
      onLost: () => setLost(true),
    })
    return close
  }, [])
  return { entries, isLost }
}

function levelNamed(text: string): Level {
  return LEVELS.find((each) => each === text) ?? 'info'
}

function filterEntries(entries: readonly Entry[], level: Level, words: string): readonly Entry[] {
  const lowest = LEVELS.indexOf(level)
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const matching = entries.filter(({ line }) => {
    const rank = LEVELS.findIndex((each) => each === line['level'])
    if (rank >= 0 && rank < lowest) return false
    if (wanted.length === 0) return true
    const text = JSON.stringify(line).toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  return matching.slice(-SHOWN_MAX)
}

const CONTEXT = ['connectorType', 'connectorName', 'connectorContext']

function LogEntry({ line }: { readonly line: LogLine }): VNode {
  const { level, time, msg, error, ...fields } = line
  const context = CONTEXT.map((name) => fields[name]).filter((each) => typeof each === 'string' && each !== '')
  const others = Object.entries(fields).filter(([name]) => !CONTEXT.includes(name))
  const stack = stackOf(error)
  return (
    <div class={`log-line ${typeof level === 'string' ? level : ''}`}>
      {typeof time === 'number' ? <Moment ms={time} /> : <span />}
      <span class="log-level">{String(level)}</span>
      <span class="log-text">
        {context.length === 0 ? null : <span class="soft">{context.join(' | ')} </span>}
        {String(msg)}
        {others.map(([name, value]) => (
          <span class="soft" key={name}>
            {' '}
            {name}={typeof value === 'string' ? value : JSON.stringify(value)}
          </span>
        ))}
        {stack === null ? null : (
          <details>
            <summary>{stack.split('\n', 1)[0]}</summary>
            <pre>{stack}</pre>
          </details>
        )}
      </span>
    </div>
  )
}

function stackOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown }
  return typeof stack === 'string' ? stack : typeof message === 'string' ? message : null
}
