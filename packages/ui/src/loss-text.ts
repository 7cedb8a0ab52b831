import type { LiveConnector } from '@tributary/rest-api'
import { formatDuration, NOTHING } from './format.ts'

/** How long the database keeps what a connector needs, in a few words. */
export function lossText(loss: LiveConnector['timeToLoss']): string {
  if (loss === null) return NOTHING
  const { status, seconds } = loss
  if (status === 'lost') return 'Lost'
  if (status === 'unlimited') return 'Unlimited'
  if (status === 'unknown') return 'Unknown'
  return seconds === null ? 'No end' : seconds === 0 ? 'Now' : formatDuration(seconds * 1_000)
}

/** The class of its colour. */
export function lossKind(loss: LiveConnector['timeToLoss']): string {
  if (loss?.status === 'lost') return 'error'
  return loss?.status === 'warning' ? 'warning' : ''
}

export function lossTitle(loss: LiveConnector['timeToLoss']): string {
  if (loss === null) return 'Not measured yet'
  switch (loss.status) {
    case 'lost':
      return 'The database has deleted binlog that the connector still needs'
    case 'unlimited':
      return 'The database does not delete its binlog by itself'
    case 'unknown':
      return 'The view of the connector has the reason'
    default:
      return loss.running_out
        ? 'Until the database can delete binlog that the connector still needs; the time runs out'
        : 'Until the database can delete binlog that the connector still needs, if the connector stopped now'
  }
}

/** What a warning is about, in a sentence. Null: it is not known when. */
export function remainingText(seconds: number | null): string {
  const when =
    seconds === null
      ? 'soon'
      : seconds === 0
        ? 'at any moment'
        : `in ${formatDuration(seconds * 1_000)} at the earliest`
  return `The database may delete binlog that the connector still needs ${when}.`
}
