/** The name of a metric, and the others under which it is exported. */
export interface MetricNames {
  readonly name: string
  readonly aliases: readonly string[]
  readonly bean: string
}

/**
 * The names that the Prometheus JMX exporter produces for an attribute of a bean of Kafka Connect or of its clients:
 *
 * - with the rules of its example, which Strimzi has: `kafka_connect_source_task_source_record_poll_total`
 * - without rules, as in Confluent's boards: `kafka_connect_source_task_metrics_source_record_poll_total`
 * - with the rules of Debezium's example, which has only the worker's: `kafka_connect_worker_metrics_task_count`
 *
 * @param domain `connect` or `producer`
 * @param type of the bean: `source-task-metrics`
 */
export function jmxNames(domain: 'connect' | 'producer', type: string, attribute: string): MetricNames {
  const short = type.replace(/-metrics$/, '').replace(new RegExp(`^${domain}-`), '')
  const prefixOfRules = short === domain ? `kafka_${domain}` : `kafka_${domain}_${snake(short)}`
  const suffix = snake(attribute)
  const name = `${prefixOfRules}_${suffix}`
  const others = [`kafka_${domain}_${snake(type)}_${suffix}`]
  if (type === 'connect-worker-metrics') others.push(`kafka_connect_worker_metrics_${suffix}`)
  return { name, aliases: others.filter((each) => each !== name), bean: `kafka.${domain}:type=${type} ${attribute}` }
}

function snake(text: string): string {
  return text.replaceAll('-', '_')
}
