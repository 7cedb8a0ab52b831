import type { RefreshWindow } from '../api/token-settings.ts'
import type { PropertyReader } from './property-reader.ts'

/** sasl.login.refresh.*, with Java's defaults and limits. */
export function refreshWindow(reader: PropertyReader): RefreshWindow {
  const name = (part: string): string => `sasl.login.refresh.${part}`
  return {
    factor: reader.decimal(name('window.factor'), { least: 0.5, most: 1 }) ?? 0.8,
    jitter: reader.decimal(name('window.jitter'), { least: 0, most: 0.25 }) ?? 0.05,
    minPeriodSeconds: reader.decimal(name('min.period.seconds'), { least: 0, most: 900 }) ?? 60,
    bufferSeconds: reader.decimal(name('buffer.seconds'), { least: 0, most: 3600 }) ?? 300,
  }
}
