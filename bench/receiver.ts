import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An endpoint that reads each webhook completely and answers 204. It runs as a process and reports its count on a
 * message.
 */
let received = 0;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    received += 1;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ received }));
