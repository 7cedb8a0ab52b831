/** `npm run hunt`: random histories (hunt.ts), or with `bytes` as first argument hostile bytes (bytes/hunt-bytes.ts). */
if (process.argv[2] === 'bytes') await import('./bytes/hunt-bytes.ts')
else await import('./hunt.ts')
