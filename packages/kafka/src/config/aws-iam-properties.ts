import { kafkaErrors } from '../api/errors.ts'
import type { TokenLogin } from '../api/kafka.ts'
import type { AwsCredentials } from '../api/token-settings.ts'
import type { PropertyReader } from './property-reader.ts'
import { refreshWindow } from './refresh-window.ts'

type JaasOptions = ReadonlyMap<string, string>

/** The name of a session that the Java module uses. */
const SESSION_NAME = 'aws-msk-iam-auth'

/**
 * Reads the options of AWS's Java login module for Amazon MSK. MSK accepts the same identity by its own mechanism
 * AWS_MSK_IAM and by OAUTHBEARER; the client uses the latter, for which AWS has a library.
 */
export function awsIamLogin(reader: PropertyReader, options: JaasOptions): TokenLogin {
  const region = regionOf(reader)
  return {
    mechanism: 'OAUTHBEARER',
    tokens: { tag: 'awsIam', region, credentials: credentialsOf(options, region) },
    extensions: {},
    refresh: refreshWindow(reader),
  }
}

/** b-1.name.x1y2.c3.kafka.eu-west-1.amazonaws.com, boot-x1y2.c3.kafka-serverless.eu-west-1.amazonaws.com */
const MSK_HOST = /\.kafka(?:-serverless)?\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\.(?:amazonaws\.com|api\.aws)/i

function regionOf(reader: PropertyReader): string {
  const found = MSK_HOST.exec(reader.text('bootstrap.servers') ?? '')?.[1]?.toLowerCase()
  // oxlint-disable-next-line no-restricted-properties -- AWS's own variables, which its library reads as well
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env
  const region = [found, AWS_REGION, AWS_DEFAULT_REGION].find((each) => each !== undefined && each !== '')
  if (region !== undefined) return region
  const why =
    ' in the environment, and the names in bootstrap.servers contain no region (….kafka.eu-west-1.amazonaws.com): AWS_MSK_IAM signs for a region'
  throw kafkaErrors.SETTING_MISSING({ name: 'AWS_REGION', why })
}

function credentialsOf(options: JaasOptions, region: string): AwsCredentials {
  if (options.get('awsShouldUseFips') === 'true') {
    throw kafkaErrors.SETTING_UNSUPPORTED({
      name: 'sasl.jaas.config',
      value: 'awsShouldUseFips=true',
      reason: "it is not an option of AWS's library for JavaScript",
      instead: 'Remove it, and set AWS_USE_FIPS_ENDPOINT=true in the environment of the worker.',
    })
  }
  const profile = options.get('awsProfileName')
  if (profile !== undefined) return { tag: 'profile', name: profile }
  const arn = options.get('awsRoleArn')
  if (arn === undefined) return { tag: 'default' }
  const accessKeyId = options.get('awsRoleAccessKeyId')
  const secretAccessKey = options.get('awsRoleSecretAccessKey')
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined
  return {
    tag: 'role',
    arn,
    sessionName: options.get('awsRoleSessionName') ?? SESSION_NAME,
    externalId: options.get('awsRoleExternalId') ?? null,
    stsRegion: options.get('awsStsRegion') ?? region,
    master: hasKey ? { accessKeyId, secretAccessKey, sessionToken: options.get('awsRoleSessionToken') ?? null } : null,
  }
}
