import { finding } from '../finding.ts'
import type { Check } from './check.ts'

export const spool: Check = {
  title: 'Spool of the binlog',
  codes: ['SPOOL_DIR_UNUSABLE', 'SPOOL_DIR_SMALL', 'SPOOL_DIR_IN_MEMORY'],
  note: 'Only with `binlog.spool.dir`; on the machine where the check runs.',
  find({ config, spoolFacts: facts }) {
    if (config.spool === null || facts === null) return []
    const { folder, bytesMax } = config.spool
    if (facts.tag === 'unusable') return [finding('SPOOL_DIR_UNUSABLE', { folder, reason: facts.reason })]
    const small = facts.freeBytes < bytesMax
    return [
      ...(small ? [finding('SPOOL_DIR_SMALL', { folder, free: facts.freeBytes, max: bytesMax })] : []),
      ...(facts.isInMemory ? [finding('SPOOL_DIR_IN_MEMORY', { folder })] : []),
    ]
  },
  describe({ config, spoolFacts: facts }) {
    if (config.spool === null || facts === null) return 'none'
    return facts.tag === 'unusable' ? facts.reason : `${facts.freeBytes} bytes free in ${config.spool.folder}`
  },
}
