import type { ConnectorSample, LiveConnector } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useLive } from '../api/use-live.ts'
import { formatAgo, formatBytes, formatDuration, formatRate } from '../format.ts'
import { Chart } from '../parts/chart.tsx'
import { Loading } from '../parts/messages.tsx'

export interface ChartsProps {
  readonly samples: readonly ConnectorSample[]
  readonly connector: LiveConnector
}

type Column = Exclude<keyof ConnectorSample & `${number}`, '0'>

/** The numbers of a connector over fifteen minutes. */
export function Charts({ samples, connector }: ChartsProps): VNode {
  const times = samples.map(([ms]) => ms)
  const column = (index: Column): (number | null)[] => samples.map((sample) => sample[index])
  if (samples.length < 2) return <Loading what="the first numbers" />
  return (
    <section aria-label="Numbers over time">
      <div class="charts">
        <Chart
          title="Records per second"
          times={times}
          format={formatRate}
          lines={[
            { label: 'read', color: '--line-2', values: column('1') },
            { label: 'written', color: '--line-1', values: column('2') },
          ]}
        />
        <Chart
          title="Changes per second"
          times={times}
          format={formatRate}
          lines={[
            { label: 'snapshot', color: '--line-4', values: column('7') },
            { label: 'inserts', color: '--line-1', values: column('8') },
            { label: 'updates', color: '--line-2', values: column('9') },
            { label: 'deletes', color: '--line-3', values: column('10') },
          ]}
        />
        <Chart
          title="Lag"
          times={times}
          format={formatDuration}
          lines={[{ label: 'change to reading', color: '--line-1', values: column('4') }]}
        />
        <Chart
          title="Latency"
          times={times}
          format={formatDuration}
          lines={[
            { label: '99 %', color: '--line-2', values: column('12') },
            { label: 'median', color: '--line-1', values: column('11') },
          ]}
        />
        <Chart
          title="Bytes per second"
          times={times}
          format={formatBytes}
          lines={[{ label: 'before compression', color: '--line-1', values: column('3') }]}
        />
        <Chart
          title="Waiting for Kafka"
          times={times}
          format={formatBytes}
          lines={[{ label: 'in the queue', color: '--line-1', values: column('5') }]}
        />
      </div>
      <LagNote connector={connector} />
    </section>
  )
}

function LagNote({ connector: { lastLagMs, lastRecordMs } }: Pick<ChartsProps, 'connector'>): VNode {
  const { update } = useLive()
  return (
    <p class="soft">
      {lastRecordMs === null
        ? 'No change since the page’s numbers begin. '
        : `Last change ${formatAgo(lastRecordMs, update?.worker[0] ?? lastRecordMs)}. `}
      {lastLagMs === null
        ? 'The lag is measured with the first change that is read.'
        : `The lag is the time between a change in the database and its reading, ${formatDuration(lastLagMs)} for the last one.`}{' '}
      The latency is the time from the commit of a change to its acknowledgement by Kafka.
    </p>
  )
}
