import { readFileSync, writeFileSync } from 'node:fs'

/** Clock ticks of /proc in a second: 100 on every Linux. */
const TICKS_PER_SECOND = 100

/** Processor time of a process so far, of all its threads, in seconds. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** From now on the peak is what a process has had in use since (proc_pid_clear_refs(5)): what came before belongs to other work. */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The most memory that a process has had in use (VmHWM), in megabytes. */
export function peakMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmHWM')
}

/** The memory that a process has in use now (VmRSS), in megabytes. */
export function residentMemoryMb(pid: number): number {
  return memoryMb(pid, 'VmRSS')
}

function memoryMb(pid: number, name: string): number {
  const line = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
