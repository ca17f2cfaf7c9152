// A simple webhook endpoint: `SECRET=… node docs/guides/webhook-receiver.mjs PORT`, with the client's secret.
// Prints each event once, as a line of JSON. A real service keeps `seen` in its database.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { SECRET = '' } = process.env;
const seen = new Set();

/** Checks the lower-case hexadecimal HMAC-SHA256 of the body's exact bytes. */
function isSigned(body, signature) {
  const expected = Buffer.from(createHmac('sha256', SECRET).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isSigned(body, String(request.headers['x-signature'] ?? ''))) return response.writeHead(401).end();
  const { event, data } = JSON.parse(body);
  const name = `${event} ${data.id}`;
  if (!seen.has(name)) console.log(body.toString());
  seen.add(name);
  response.writeHead(204).end();
});
server.listen(Number(process.argv[2]), '127.0.0.1');
