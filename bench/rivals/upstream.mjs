// The upstream of both proxies of the benchmark `router`: a plain Node server that returns half a kilobyte.
import { createServer } from 'node:http'

const body = 'x'.repeat(512)
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
