import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kafkaOptionsFromProperties } from '../config/client-properties.ts'
import { testKafka } from '../testing/clients.ts'

test("a login to Amazon MSK without AWS's package is an error at once, which names the command", () => {
  const options = kafkaOptionsFromProperties({
    'bootstrap.servers': 'b-1.c.x1y2.c3.kafka.eu-west-1.amazonaws.com:9098',
    'security.protocol': 'SASL_SSL',
    'sasl.mechanism': 'AWS_MSK_IAM',
    'sasl.jaas.config': 'software.amazon.msk.auth.iam.IAMLoginModule required;',
  })

  assert.throws(() => testKafka(options.bootstrapServers, options), {
    code: 'AWS_SIGNER_MISSING',
    message: /npm install --global aws-msk-iam-sasl-signer-js@1\.0\.3/,
  })
})
