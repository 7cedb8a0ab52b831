// HEALTHCHECK of the image: exits with 0 if the worker answers GET /health/live with 200. The address is TRIBUTARY_URL,
// or else http://127.0.0.1 with REST_PORT or 8083. Like a probe of Kubernetes, it does not verify certificates: it sends
// nothing secret, and the certificate is not for 127.0.0.1.
import http from 'node:http'
import https from 'node:https'

const address = process.env.TRIBUTARY_URL || `http://127.0.0.1:${process.env.REST_PORT || 8083}`
const url = new URL(`${address.replace(/\/$/, '')}/health/live`)
const { get } = url.protocol === 'https:' ? https : http

const request = get(url, { rejectUnauthorized: false, timeout: 8_000 }, (answer) => {
  answer.resume()
  end(answer.statusCode === 200 ? 0 : 1, `${url.href} answers with status ${answer.statusCode}`)
})
request.on('timeout', () => end(1, `${url.href} has not answered within 8 s`))
request.on('error', (error) => end(1, `${url.href} does not answer: ${error.code ?? error.message}`))

function end(code, text) {
  // `docker inspect` shows it.
  process.stdout.write(`${text}\n`)
  process.exit(code)
}
