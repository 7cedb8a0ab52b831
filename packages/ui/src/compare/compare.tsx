import type { Verification } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { connectorPath, request } from '../api/client.ts'
import { useLive } from '../api/use-live.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatDuration } from '../format.ts'
import { ActionDialog, type Action } from '../parts/action-dialog.tsx'
import { ConnectorHead } from '../parts/connector-head.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { Moment } from '../parts/moment.tsx'
import { Stale } from '../parts/stale.tsx'
import { RunForm, type RunRequest } from './run-form.tsx'
import { RunResult } from './run-result.tsx'

/** Others may start one, too. */
const IDLE_MS = 10_000
const RUNNING_MS = 1_000

/** Comparisons of the connector's tables with their topics: starts and stops them, and shows what they found. */
export function CompareView({ name }: { readonly name: string }): VNode {
  const { isReadOnly } = useLive()
  const path = `${connectorPath(name)}/verifications`
  const [isRunning, setRunning] = useState(false)
  const loaded = usePolled<readonly Verification[]>(path, isRunning ? RUNNING_MS : IDLE_MS)
  const { value: runs, error, reload } = loaded
  const [chosen, setChosen] = useState<string | null>(null)
  const [stopping, setStopping] = useState<Action | null>(null)
  const running = runs?.find(({ state }) => state === 'RUNNING') ?? null
  if (runs !== null && (running !== null) !== isRunning) setRunning(running !== null)
  const shown = runs?.find(({ id }) => id === chosen) ?? runs?.[0] ?? null
  const start = async (body: RunRequest): Promise<void> => {
    const started = (await request('POST', path, body)) as Verification
    setChosen(started.id)
    reload()
  }
  return (
    <>
      <ConnectorHead name={name} current="compare" />
      {runs === null && error !== null ? (
        <Failure title="The comparisons cannot be read" error={error} onRetry={reload} />
      ) : runs === null ? (
        <Loading what="the comparisons" />
      ) : (
        <>
          <Stale of={loaded} />
          {isReadOnly ? null : <RunForm name={name} isRunning={running !== null} onStart={start} />}
          {shown === null ? (
            <Empty title="Nothing was compared yet">
              <p>A comparison finds rows that the topic lacks, rows that only the topic has, and fields that differ.</p>
            </Empty>
          ) : (
            <RunResult
              run={shown}
              onStop={isReadOnly || shown.state !== 'RUNNING' ? null : () => setStopping(stopOf(path, shown))}
            />
          )}
          {runs.length < 2 ? null : <EarlierRuns runs={runs} shown={shown?.id ?? ''} onChoose={setChosen} />}
        </>
      )}
      {stopping === null ? null : (
        <ActionDialog
          action={stopping}
          onClose={() => setStopping(null)}
          onDone={() => {
            setStopping(null)
            reload()
          }}
        />
      )}
    </>
  )
}

function stopOf(path: string, { id }: Verification): Action {
  return {
    label: 'Stop the comparison',
    method: 'DELETE',
    path: `${path}/${encodeURIComponent(id)}`,
    effect: ['Tables that are compared already keep their results. The connector continues as before.'],
  }
}

interface EarlierRunsProps {
  readonly runs: readonly Verification[]
  readonly shown: string
  readonly onChoose: (id: string) => void
}

function EarlierRuns({ runs, shown, onChoose }: EarlierRunsProps): VNode {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Comparisons of this worker</h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Result</th>
            <th scope="col" class="number">
              Tables
            </th>
            <th scope="col" class="number">
              Duration
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id} class={run.id === shown ? 'current' : ''}>
              <th scope="row">
                <button type="button" class="quiet" aria-pressed={run.id === shown} onClick={() => onChoose(run.id)}>
                  <Moment ms={run.started_ms} />
                </button>
              </th>
              <td data-label="Result">{summaryOf(run)}</td>
              <td class="number" data-label="Tables">
                {run.tables.length}
              </td>
              <td class="number" data-label="Duration">
                {formatDuration(run.ended_ms === null ? null : run.ended_ms - run.started_ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">The last 20 of all connectors, until the worker is restarted.</p>
    </section>
  )
}

/** A run in a few words: the worst of its tables. */
export function summaryOf({ state, tables }: Verification): string {
  if (state !== 'COMPLETED') return state.charAt(0) + state.slice(1).toLowerCase()
  const count = (wanted: string): number => tables.filter((table) => table.state === wanted).length
  const parts = [
    [count('DIFFERENT'), 'different'],
    [count('UNPROVEN'), 'unproven'],
    [count('REFUSED'), 'refused'],
    [count('EQUAL'), 'equal'],
  ] as const
  const texts = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`)
  return texts.length === 0 ? 'No table' : texts.join(', ')
}
