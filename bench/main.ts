/**
 * Benchmarks on real servers. Figures are of this machine at this time: compare only within one run.
 *
 *     npm run bench -- drain --events 500000 --profile
 *     npm run bench -- rest
 */
import { drain } from './drain/drain.ts'
import { restLatency } from './rest-latency.ts'

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = { drain, rest: restLatency }

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]`)
  process.exitCode = 2
} else {
  console.log(JSON.stringify(await bench(args), null, 2))
}
