/**
 * Transformations of Debezium that Tributary refuses, because the feature that they serve does not exist here. The error
 * contains the reason and the remedy instead of "class not found".
 */
const REFUSED: ReadonlyMap<string, string> = new Map([
  [
    'io.debezium.transforms.tracing.ActivateTracingSpan',
    'Tributary writes no OpenTelemetry traces. Remove the transformation: records stay as they are without it',
  ],
  [
    'io.debezium.transforms.openlineage.OpenLineage',
    'Tributary reports no OpenLineage events. Remove the transformation: records stay as they are without it, and GET /connectors/NAME/topics lists the topics that a connector writes to',
  ],
])

/** Why a transformation of that full or simple name is refused, as a text for the user; null: it is not known here. */
export function refusedStageText(className: string): string | null {
  for (const [name, reason] of REFUSED) {
    if (name === className || name.endsWith(`.${className}`)) return `Class ${name} is not supported: ${reason}.`
  }
  return null
}
