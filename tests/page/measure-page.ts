import type { CDPSession } from 'playwright-core'

export interface PageUsage {
  readonly heapBytes: number
  /** DOM nodes, also those that only scripts still hold. */
  readonly nodes: number
  readonly listeners: number
}

/** After a collection of garbage: what is left is in use. The session needs `Performance.enable` before. */
export async function measurePage(session: CDPSession): Promise<PageUsage> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const valueOf = (name: string): number => metrics.find((each) => each.name === name)?.value ?? 0
  return { heapBytes: valueOf('JSHeapUsedSize'), nodes: valueOf('Nodes'), listeners: valueOf('JSEventListeners') }
}
