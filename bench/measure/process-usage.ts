import { readFileSync, writeFileSync } from 'node:fs'

/** Clock ticks per second in /proc: 100 on every Linux. */
const TICKS_PER_SECOND = 100

/** Returns the processor time of all threads of a process so far, in seconds. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resets the peak memory of a process to its current memory (proc_pid_clear_refs(5)). */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Returns the peak memory of a process (VmHWM) in megabytes. */
export function peakMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmHWM')
}

/** Returns the current memory of a process (VmRSS) in megabytes. */
export function residentMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmRSS')
}

/**
 * Returns the current memory of a process (Pss) in megabytes. Each thread's heap maps the engine's built-in code once
 * more, which resident memory counts as often, 2 MB for each.
 */
export function proportionalMemoryMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Math.round(Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024)
}

function memoryMb(pid: number, name: string): number {
  const line = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
