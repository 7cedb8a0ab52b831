import { compareBrokers, type Comparison, type Difference } from './compare-brokers.ts'

export interface Differences {
  readonly differing: readonly Difference[]
  /** Of those. */
  readonly recurring: readonly Difference[]
}

/**
 * Compares, and repeats each sequence that differs alone. Differences that do not recur come from what ran beside: Kafka
 * 4.3 checks the transactions of several connections in one request, and answers all of them with the codes that the
 * first one knows (48 or 120).
 */
export async function recurringDifferences(comparison: Omit<Comparison, 'onDifference'>): Promise<Differences> {
  const differing: Difference[] = []
  await compareBrokers({ ...comparison, onDifference: (difference) => differing.push(difference) })
  const recurring: Difference[] = []
  for (const { seed } of differing) {
    const alone = { ...comparison, seed, sequences: 1, atOnce: 1 }
    await compareBrokers({ ...alone, onDifference: (difference) => recurring.push(difference) })
  }
  return { differing, recurring }
}
