import v8 from 'node:v8'

/** The JavaScript heap of the calling thread. */
export interface V8Heap {
  /** Bytes that the young generation has allocated from the system. */
  youngBytes(): number
  /** Bytes of all objects. */
  usedBytes(): number
  /**
   * Collects all garbage and returns the memory to the system. Blocks the thread: 100 ms for 17 MB of objects, 500 ms
   * for 100 MB.
   */
  release(): Promise<void>
}

export const v8Heap: V8Heap = {
  youngBytes() {
    const spaces = v8.getHeapSpaceStatistics()
    return spaces.find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  },

  usedBytes: () => v8.getHeapStatistics().used_heap_size,

  // The only kind of collection that shrinks the young generation. The engine's `gc` would need a flag that applies to
  // all threads.
  async release() {
    // Imported here: some builds of Node have no inspector.
    const { Session } = await import('node:inspector/promises')
    const session = new Session()
    session.connect()
    try {
      await session.post('HeapProfiler.collectGarbage')
    } finally {
      session.disconnect()
    }
  },
}
