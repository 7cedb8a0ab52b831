import { createRequire } from 'node:module'
import { toError, withTimeout, doneOr, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { AwsCredentials, AwsIamTokens } from '../api/token-settings.ts'
import type { Token } from '../api/token-source.ts'

/** AWS's own signer and the part of its SDK that finds credentials, which the signer depends on. */
const SIGNER = 'aws-msk-iam-sasl-signer-js'
const PROVIDERS = '@aws-sdk/credential-providers'
/** The version that this client is tested with. */
const SIGNER_VERSION = '1.0.3'

/** Longest time to find credentials: the SDK itself tries several sources, each with repetitions. */
const TIMEOUT_MS = 60_000

type CredentialsProvider = () => Promise<unknown>

interface Signer {
  readonly generateAuthToken: (options: { region: string }) => Promise<unknown>
  readonly generateAuthTokenFromProfile: (options: { region: string; awsProfileName: string }) => Promise<unknown>
  readonly generateAuthTokenFromCredentialsProvider: (options: {
    region: string
    awsCredentialsProvider: CredentialsProvider
  }) => Promise<unknown>
}

interface Providers {
  readonly fromTemporaryCredentials: (options: object) => CredentialsProvider
}

/** The file from which Node looks for the signer: beside this program, and then in each folder above it. */
const HOME = import.meta.url

/** Throws AWS_SIGNER_MISSING unless AWS's signer is installed. Does not load it. */
export function requireAwsSigner(home: string = HOME): void {
  try {
    createRequire(home).resolve(SIGNER)
  } catch {
    // The cause has only the places of this program.
    throw kafkaErrors.AWS_SIGNER_MISSING({ packageName: SIGNER, version: SIGNER_VERSION })
  }
}

export interface AwsIamTokenOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** For tests. */
  readonly home?: string
}

/**
 * A token for Amazon MSK, signed with the credentials of AWS. It loads the signer at the first call: 29 MB of packages
 * that the user installs. Rejects with AWS_CREDENTIALS_MISSING (retriable), AWS_SIGNER_MISSING or StoppedError.
 */
export async function awsIamToken(
  { region, credentials }: AwsIamTokens,
  { clock, signal, home = HOME }: AwsIamTokenOptions,
): Promise<Token> {
  requireAwsSigner(home)
  try {
    // The SDK cannot be stopped: its answer is ignored after the limit.
    const answer = await withTimeout(
      clock,
      TIMEOUT_MS,
      (limit) => doneOr(sign(createRequire(home), region, credentials), limit),
      signal,
    )
    return tokenIn(answer, credentials)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const error = toError(thrown)
    const reason = error.name === 'StoppedError' ? `AWS did not answer within ${TIMEOUT_MS} ms` : error.message
    throw kafkaErrors.AWS_CREDENTIALS_MISSING({ reason, credentials: shown(credentials) }, error)
  }
}

async function sign(require: NodeJS.Require, region: string, credentials: AwsCredentials): Promise<unknown> {
  const signer = require(SIGNER) as Signer
  switch (credentials.tag) {
    case 'default':
      return signer.generateAuthToken({ region })
    case 'profile':
      return signer.generateAuthTokenFromProfile({ region, awsProfileName: credentials.name })
    case 'role': {
      // The signer's own function for roles has neither an external id nor credentials for the role.
      const providers = createRequire(require.resolve(SIGNER))(PROVIDERS) as Providers
      const awsCredentialsProvider = providers.fromTemporaryCredentials(roleOptions(credentials))
      return signer.generateAuthTokenFromCredentialsProvider({ region, awsCredentialsProvider })
    }
  }
}

function roleOptions({
  arn,
  sessionName,
  externalId,
  stsRegion,
  master,
}: Extract<AwsCredentials, { tag: 'role' }>): object {
  return {
    params: { RoleArn: arn, RoleSessionName: sessionName, ...(externalId !== null && { ExternalId: externalId }) },
    clientConfig: { region: stsRegion },
    ...(master !== null && {
      masterCredentials: {
        accessKeyId: master.accessKeyId,
        secretAccessKey: master.secretAccessKey,
        ...(master.sessionToken !== null && { sessionToken: master.sessionToken }),
      },
    }),
  }
}

function tokenIn(answer: unknown, credentials: AwsCredentials): Token {
  const { token, expiryTime }: { token?: unknown; expiryTime?: unknown } =
    typeof answer === 'object' && answer !== null ? answer : {}
  if (typeof token !== 'string' || typeof expiryTime !== 'number') throw new Error('the signer returned no token')
  return { value: token, expiresAtMs: expiryTime, startsAtMs: null, user: shown(credentials) }
}

function shown(credentials: AwsCredentials): string {
  switch (credentials.tag) {
    case 'default':
      return 'the default credentials of AWS'
    case 'profile':
      return `the AWS profile ${credentials.name}`
    case 'role':
      return `the AWS role ${credentials.arn}`
  }
}
