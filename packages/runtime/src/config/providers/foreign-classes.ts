interface ForeignClass {
  readonly matches: RegExp
  readonly instead: string
}

const FILES =
  'and refer to that file with FileConfigProvider (properties) or DirectoryConfigProvider (one file per secret)'

/** Providers of others by their class names, and what does the same. The first that matches counts. */
const FOREIGN: readonly ForeignClass[] = [
  {
    matches: /azure|KeyVault/i,
    instead: `Mount the secrets of Azure Key Vault with the Secrets Store CSI driver, ${FILES}`,
  },
  { matches: /vault|hashicorp/i, instead: `Let Vault Agent write the secret to a file, ${FILES}` },
  {
    matches: /gcp|gcloud|google|\.SecretManager/i,
    instead: `Mount the secrets of Google Secret Manager with the Secrets Store CSI driver, ${FILES}`,
  },
  {
    matches: /aws|amazon|SecretsManager|Ssm|\bS3/i,
    instead: `Write the secrets of AWS to a file (Secrets Store CSI driver, or ECS secrets as variables with EnvVarConfigProvider), ${FILES}`,
  },
  {
    matches: /kubernetes|k8s/i,
    instead:
      'Use io.strimzi.kafka.KubernetesSecretConfigProvider with param.mount.path, or DirectoryConfigProvider, on a mounted Secret',
  },
  { matches: /env/i, instead: 'Use org.apache.kafka.common.config.provider.EnvVarConfigProvider' },
  { matches: /./, instead: `Write the secret to a file when the service is deployed, ${FILES}` },
]

/** What to use instead of a config provider that Tributary does not have. */
export function insteadOf(className: string): string {
  return FOREIGN.find(({ matches }) => matches.test(className))?.instead ?? ''
}
