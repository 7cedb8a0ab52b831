import { execFile, type ExecFileException } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** Delivers fields of sd_notify(3) to the service manager. Returns why they could not be delivered, or null. */
export type SendFields = (environment: Environment, fields: ReadonlyMap<string, string>) => Promise<string | null>

/**
 * Sends fields with the program `systemd-notify`, which is part of systemd: Node has no sockets for datagrams of Unix
 * (docs/adr/0058-reports-to-systemd.md). It takes 5 ms of processor time, and ends when systemd has read the message.
 */
export const sendToManager: SendFields = (environment, fields) => {
  const { NOTIFY_SOCKET, PATH } = environment
  const assignments = Array.from(fields, ([name, value]) => `${name}=${value}`)
  return new Promise((resolve) => {
    execFile(
      PROGRAM,
      assignments,
      // The environment of the worker may contain passwords.
      { env: { NOTIFY_SOCKET, PATH }, timeout: LIMIT_MS, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => resolve(error === null ? null : reasonOf(error, stderr)),
    )
  })
}

const PROGRAM = 'systemd-notify'

/** systemd-notify itself waits 5 s for systemd. */
const LIMIT_MS = 10_000

function reasonOf(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') {
    return `the program ${PROGRAM} is not on the PATH. Install it (Debian package: systemd), or set Type=exec and no WatchdogSec= in the unit`
  }
  if (error.killed === true) return `${PROGRAM} has not ended within ${LIMIT_MS / 1_000} s`
  return stderr.trim() === '' ? `${PROGRAM} ended with code ${error.code ?? 'unknown'}` : stderr.trim()
}
