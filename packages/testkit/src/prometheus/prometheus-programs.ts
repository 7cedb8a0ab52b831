import { join } from 'node:path'
import { runProgram, type ProgramResult } from '../process/run-program.ts'
import { progress, provisionFolder } from '../provision/cache.ts'
import { unpackDebianPackages } from '../provision/debian-packages.ts'

/** Prometheus 2.42. */
const SUITE = 'bookworm'
/** Everything that the package depends on is for its pages: fonts and scripts. */
const NOT_NEEDED = /^(?!prometheus$)/

/** The folder of the unpacked package of Debian. Nothing is installed. */
export function prometheusFolder(): Promise<string> {
  return provisionFolder(`prometheus-${SUITE}`, async (folder) => {
    progress('fetching Prometheus from Debian (20 MB)')
    await unpackDebianPackages({
      what: 'Prometheus',
      suite: SUITE,
      packages: ['prometheus'],
      exclude: NOT_NEEDED,
      folder,
    })
  })
}

/** Runs promtool. An exit code other than 0 is a result, not an error. */
export async function promtool(args: readonly string[], input = ''): Promise<ProgramResult> {
  const program = join(await prometheusFolder(), 'usr/bin/promtool')
  return runProgram(program, args, { input, purpose: 'checking metrics and rules', packageName: 'prometheus' })
}
